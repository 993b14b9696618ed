/** The objects whose verdict the real API server gives in test/cluster, judged by the sandbox. */
import { describe, expect, it } from 'vitest';
import {
  frozenDaemonJobChanges,
  openDaemonJobChanges,
  startedDaemonJobSpec,
} from '#shared/api/testing/daemon-job-cases.ts';
import {
  corrections,
  frozenChanges,
  openChanges,
  startedSpec,
} from '#shared/api/testing/frozen-cases.ts';
import { daemonJob, flow } from '#shared/api/testing/verdict-case.ts';
import { verdictTable } from '#shared/api/testing/verdict-table.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { servedPath, refusalOf, withOurKinds } from './testing/our-kinds.ts';

const api = withOurKinds();

const refused = (object: JsonObject) =>
  refusalOf(() =>
    api.create(servedPath(object), object, { dryRun: true, fieldValidation: 'Strict' }),
  );

describe('an object of ours', () => {
  it.each(verdictTable.filter(({ faultAt }) => faultAt === undefined))(
    'is taken: $rule',
    ({ object }) => {
      expect(refused(object as JsonObject)?.message).toBeUndefined();
    },
  );

  it.each(verdictTable.filter(({ faultAt }) => faultAt !== undefined))(
    'is refused: $rule',
    ({ object }) => {
      expect([400, 422]).toContain(refused(object as JsonObject)?.code);
    },
  );
});

const flows = {
  called: 'flow',
  manifest: flow,
  spec: startedSpec,
  frozen: frozenChanges,
  open: openChanges,
};
const daemonJobs = {
  called: 'DaemonJob',
  manifest: daemonJob,
  spec: startedDaemonJobSpec,
  frozen: frozenDaemonJobChanges,
  open: openDaemonJobChanges,
};

describe.each([flows, daemonJobs])('a $called', ({ called, manifest, spec, frozen, open }) => {
  const path = servedPath(manifest(spec) as JsonObject);
  const create = (name: string, startTime: string | null) => {
    api.create(path, manifest(spec, { name }) as JsonObject);
    const status = { state: 'Running', startTime };
    api.merge(path, name, { status }, { subresource: 'status' });
  };
  create('started', '2026-11-21T10:00:00Z');
  create('waiting', null);
  const change = (name: string, patch: unknown) =>
    refusalOf(() =>
      api.merge(path, name, { spec: patch } as JsonObject, { options: { dryRun: true } }),
    );

  it.each(frozen)('that has started refuses %s', (_rule, patch) => {
    const refusal = change('started', patch);
    expect(refusal?.code).toBe(422);
    expect(refusal?.message).toContain(`denied request: frozen once the ${called} has started`);
  });

  it.each(open)('that has started takes a change of %s', (_rule, patch) => {
    expect(change('started', patch)?.message).toBeUndefined();
  });

  it.each([...frozen, ...open])('that has not started takes %s', (_rule, patch) => {
    expect(change('waiting', patch)?.message).toBeUndefined();
  });
});

describe('a correction of a flow that has started (rule 16)', () => {
  const manifest = flow(startedSpec, { name: 'corrected' }) as JsonObject;
  const path = servedPath(manifest);
  api.create(path, manifest);

  it.each(corrections)('%s', (_rule, changed, spec, verdict) => {
    const status = { jobStatusList: null, ...changed, startTime: '2026-11-21T10:00:00Z' };
    api.merge(path, 'corrected', { status }, { subresource: 'status' });
    const refusal = refusalOf(() =>
      api.merge(path, 'corrected', { spec } as JsonObject, { options: { dryRun: true } }),
    );
    expect(refusal === undefined ? 'taken' : 'refused').toBe(verdict);
    expect(refusal?.message ?? 'may be corrected').toContain('may be corrected');
  });
});
