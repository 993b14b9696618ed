import { expect, it } from 'vitest';
import type { SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import type { SeenObjects } from '#shared/subscription/subscription.ts';
import { at, policy, t0 } from '../testing/builders.ts';
import { isUnfinished } from './unfinished.ts';

const nothing: SeenObjects = { get: () => undefined, list: () => [], listByOwner: () => [] };
const isLookedAt = (status: SuspendPolicyStatus, fields = {}, nowS = 0) =>
  isUnfinished(policy(undefined, { status, ...fields }), nothing, t0 + nowS * 1_000);
const idle = { observedGeneration: 1, selected: 0 };

it('a policy that selects nothing, as its status says, is left alone', () => {
  expect(isLookedAt(idle)).toBe(false);
  expect(isLookedAt({ observedGeneration: 1 })).toBe(false);
});

it.each<[string, SuspendPolicyStatus, object]>([
  ['selects something', { ...idle, selected: 1 }, {}],
  [
    'reports a conflict, which another replica may have seen end',
    {
      ...idle,
      conflicts: [
        { policy: 'SuspendPolicy/default/b', decides: 'SuspendPolicy/default/b', objects: 1 },
      ],
    },
    {},
  ],
  ['was edited', { ...idle, observedGeneration: 0 }, {}],
  ['has no status yet', {}, {}],
  ['is being deleted', idle, { deletionTimestamp: at(0) }],
])('a policy that %s is looked at again', (_, status, fields) => {
  expect(isLookedAt(status, fields)).toBe(true);
});

it('a policy is looked at once its transition has come, and not before', () => {
  const status = { ...idle, nextTransition: at(60) };
  expect([59, 60, 61].map((nowS) => isLookedAt(status, {}, nowS))).toEqual([false, true, true]);
});

it('an idle policy is looked at for two minutes after its status was written, and then left alone', () => {
  const status = { ...idle, lastUpdateTime: at(0) };
  expect([0, 119, 120].map((nowS) => isLookedAt(status, {}, nowS))).toEqual([true, true, false]);
});
