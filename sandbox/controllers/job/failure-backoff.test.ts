import { describe, expect, it } from 'vitest';
import { asPod, type Pod } from '../objects/pod.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { afterPods, noFailure, replacedFrom } from './failure-backoff.ts';

function endedAt(ms: number): Pod {
  const terminated = { exitCode: 1, reason: 'Error', finishedAt: rfc3339(ms) };
  const status = { containerStatuses: [{ name: 'main', state: { terminated } }] };
  const pod = { metadata: { name: 'p' }, spec: { containers: [] }, status };
  return asPod(pod as unknown as KubeObject);
}

const failedAt = (...ms: readonly number[]) => afterPods(noFailure, [], ms.map(endedAt));

describe('the wait after failures', () => {
  it.each([
    [1, 10],
    [2, 20],
    [3, 40],
    [6, 320],
    [7, 600],
    [50, 600],
  ])('is, after %i of them, %i s', (failures, seconds) => {
    const record = { failuresSinceSuccess: failures, lastFailureMs: 1_000 };
    expect(replacedFrom(record, 1_000)).toBe(1_000 + seconds * 1000);
    expect(replacedFrom(record, 1_000 + seconds * 1000)).toBeUndefined();
  });

  it('is none without a failure', () => {
    expect(replacedFrom(noFailure, 0)).toBeUndefined();
  });
});

describe('the record of failures', () => {
  it('adds up', () => {
    const record = afterPods(failedAt(1_000), [], [endedAt(5_000), endedAt(3_000)]);
    expect(record).toEqual({ failuresSinceSuccess: 3, lastFailureMs: 5_000 });
  });

  it('is wiped out by a success', () => {
    const record = afterPods(failedAt(1_000, 2_000), [endedAt(9_000)], []);
    expect(record).toEqual({ failuresSinceSuccess: 0, lastFailureMs: undefined });
  });

  it('keeps the failures after a success', () => {
    const record = afterPods(failedAt(1_000), [endedAt(5_000)], [endedAt(4_000), endedAt(6_000)]);
    expect(record).toEqual({ failuresSinceSuccess: 1, lastFailureMs: 6_000 });
  });
});
