/** The objects whose verdict the real API server gives in test/cluster, judged by the sandbox. */
import { describe, expect, it } from 'vitest';
import { frozenChanges, openChanges, startedSpec } from '#shared/api/testing/frozen-cases.ts';
import { flow } from '#shared/api/testing/verdict-case.ts';
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

describe('a flow', () => {
  const path = 'jobflows.api.practice.com';
  const flowWith = (name: string, startTime: string | null) => {
    api.create(path, flow(startedSpec, { name }) as JsonObject);
    const status = { state: 'Running', startTime };
    api.merge(path, name, { status }, { subresource: 'status' });
  };
  flowWith('started', '2026-11-21T10:00:00Z');
  flowWith('waiting', null);
  const change = (name: string, spec: unknown) =>
    refusalOf(() => api.merge(path, name, { spec } as JsonObject, { options: { dryRun: true } }));

  it.each(frozenChanges)('that has started refuses %s', (_rule, spec) => {
    const refusal = change('started', spec);
    expect(refusal?.code).toBe(422);
    expect(refusal?.message).toMatch(/denied request: frozen once the flow has started/);
  });

  it.each(openChanges)('that has started takes a change of %s', (_rule, spec) => {
    expect(change('started', spec)?.message).toBeUndefined();
  });

  it.each([...frozenChanges, ...openChanges])('that has not started takes %s', (_rule, spec) => {
    expect(change('waiting', spec)?.message).toBeUndefined();
  });
});
