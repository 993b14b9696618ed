import { describe, expect, it } from 'vitest';
import { flow, job, ownedBy } from '#shared/domain/testing/objects.ts';
import { isControlledBy, type KubeObject } from '#shared/domain/objects.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';
import { isUnfinished } from './unfinished.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const ended = { state: 'Succeed', observedGeneration: 1, completionTime: '2026-11-21T09:00:00Z' };

/** Views in which any flow has these children. */
const having = (...children: readonly KubeObject[]): SeenObjects => ({
  get: () => undefined,
  list: () => [],
  listByOwner: (_, uid) => children.filter(({ metadata }) => isControlledBy(metadata, uid)),
});
const childless = having();

describe('a flow is unfinished', () => {
  it.each([
    ['without a status', flow()],
    ['Pending', flow({ status: { state: 'Pending', observedGeneration: 1 } })],
    ['Running', flow({ status: { state: 'Running', observedGeneration: 1 } })],
    ['Suspended', flow({ status: { state: 'Suspended', observedGeneration: 1 } })],
    [
      'ended, and being deleted',
      flow({ status: ended, metadata: { deletionTimestamp: '2026-11-21T09:30:00Z' } }),
    ],
    ['ended, and edited since', flow({ status: ended, metadata: { generation: 2 } })],
    [
      'ended, and asked to retry',
      flow({ status: ended, metadata: { annotations: { 'millrace.dev/retry': '1' } } }),
    ],
    [
      'that Millrace runs by name',
      flow({ spec: { managedBy: 'millrace.dev/jobflow-controller' } }),
    ],
    [
      'ended longer ago than its TTL',
      flow({ status: ended, spec: { ttlSecondsAfterFinished: 3_600 } }),
    ],
  ])('%s', (_, object) => {
    expect(isUnfinished(object, childless, now)).toBe(true);
  });
});

describe('a flow is finished', () => {
  it.each([
    ['when it succeeded', flow({ status: ended })],
    ['when it failed', flow({ status: { ...ended, state: 'Failed' } })],
    [
      'when its retry was handled',
      flow({
        status: { ...ended, retryNonce: '1' },
        metadata: { annotations: { 'millrace.dev/retry': '1' } },
      }),
    ],
    [
      'when its retry annotation is empty',
      flow({ status: ended, metadata: { annotations: { 'millrace.dev/retry': '' } } }),
    ],
    [
      'with a TTL that has no end to count from',
      flow({
        status: { state: 'Succeed', observedGeneration: 1 },
        spec: { ttlSecondsAfterFinished: 0 },
      }),
    ],
    [
      'that another controller runs',
      flow({ spec: { managedBy: 'kueue.x-k8s.io/multikueue', ttlSecondsAfterFinished: 1 } }),
    ],
    ['within its TTL', flow({ status: ended, spec: { ttlSecondsAfterFinished: 3_601 } })],
  ])('%s', (_, object) => {
    expect(isUnfinished(object, childless, now)).toBe(false);
  });
});

describe('a finished flow has work left', () => {
  const owner = flow({ name: 'f', status: ended });
  const holding = (type: string, status = 'True') => ({ conditions: [{ type, status }] });
  const finished = holding('Complete');
  const child = {
    ...ownedBy(owner),
    annotations: { 'millrace.dev/ttl-seconds-after-finished': '5' },
  };

  it.each([
    ['has succeeded', job({ metadata: child, spec: {}, status: finished })],
    ['has failed', job({ metadata: child, status: holding('Failed') })],
  ])('while a child that %s waits for the TTL of its template', (_, waiting) => {
    expect(isUnfinished(owner, having(waiting), now)).toBe(true);
  });

  it.each([
    ['has it', job({ metadata: child, spec: { ttlSecondsAfterFinished: 5 }, status: finished })],
    ['still runs', job({ metadata: child, spec: {}, status: { active: 1 } })],
    ['has not begun', job({ metadata: child })],
    ['is suspended', job({ metadata: child, status: holding('Suspended') })],
    ['has not failed yet', job({ metadata: child, status: holding('Failed', 'False') })],
    ['has a template without one', job({ metadata: ownedBy(owner), spec: {}, status: finished })],
  ])('but not when the child %s', (_, other) => {
    expect(isUnfinished(owner, having(other), now)).toBe(false);
  });
});
