import { describe, expect, it } from 'vitest';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import type { Json } from '#shared/domain/objects.ts';
import type { DaemonJobSpec } from './daemon-job.ts';
import {
  daemonJobTemplateFaults,
  daemonJobUpdateFaults,
  frozenDaemonJobHash,
} from './daemon-job-rules.ts';
import {
  frozenDaemonJobChanges,
  openDaemonJobChanges,
  startedDaemonJobSpec,
} from './testing/daemon-job-cases.ts';

const before = startedDaemonJobSpec as unknown as DaemonJobSpec;
const changed = (patch: unknown) =>
  applyMergePatch(before, patch as Json) as unknown as DaemonJobSpec;

describe('the hash of what is frozen of a DaemonJob', () => {
  it.each(frozenDaemonJobChanges)('changes with %s', (_rule, patch) => {
    expect(frozenDaemonJobHash(changed(patch))).not.toBe(frozenDaemonJobHash(before));
  });

  it.each(openDaemonJobChanges)('stays the same with a change of %s', (_rule, patch) => {
    expect(frozenDaemonJobHash(changed(patch))).toBe(frozenDaemonJobHash(before));
  });
});

describe('an update', () => {
  const started = { spec: before, status: { startTime: '2026-11-21T10:00:00Z' } };

  it.each(frozenDaemonJobChanges)('of a started DaemonJob is refused: %s', (_rule, patch) => {
    expect(daemonJobUpdateFaults(started, { spec: changed(patch) })).toHaveLength(1);
  });

  it.each(openDaemonJobChanges)('of a started DaemonJob is taken: %s', (_rule, patch) => {
    expect(daemonJobUpdateFaults(started, { spec: changed(patch) })).toEqual([]);
  });

  it.each(frozenDaemonJobChanges)('of one that has not started is taken: %s', (_rule, patch) => {
    expect(daemonJobUpdateFaults({ spec: before }, { spec: changed(patch) })).toEqual([]);
  });
});

it.each([
  [64, []],
  [
    65,
    [
      {
        path: 'spec.template.spec',
        message:
          'the required node affinity and the tolerations have 65 terms, requirements and tolerations, at most 64 are allowed; select the nodes by a label instead',
      },
    ],
  ],
])('a Pod that asks its node for %i things has these faults: %j', (count, faults) => {
  const required = {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
  };
  const spec = {
    containers: [{ name: 'main', image: 'busybox' }],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    tolerations: Array.from({ length: count - 2 }, () => ({ operator: 'Exists' })),
  };
  expect(daemonJobTemplateFaults({ template: { spec } })).toEqual(faults);
});
