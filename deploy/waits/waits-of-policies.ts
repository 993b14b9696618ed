/** Why policies, and objects that they hold, can stand still. */
import type { Wait } from './wait.ts';

export const waitsOfPolicies: readonly Wait[] = [
  {
    name: 'a policy holds a Job',
    of: 'Job held by a policy',
    reason: 'WindowClosed',
    message: 'SuspendPolicy/default/shut',
    event: 'HeldByPolicy',
    ends: 'The policy opens at the time in its annotation `millrace.dev/held`, or you set `millrace.dev/suspend-override: Run` on it.',
  },
  {
    name: 'a capacity has no room',
    of: 'Job held by a policy',
    reason: 'CapacityFull',
    message: 'SuspendPolicy/default/narrow',
    event: 'HeldByPolicy',
    ends: 'Another Job under the policy ends, or `spec.capacity` is raised.',
  },
  {
    name: 'the Job requests more than the whole capacity',
    of: 'Job held by a policy',
    reason: 'Unschedulable',
    message: 'SuspendPolicy/default/small',
    event: 'HeldByPolicy',
    ends: 'Raise `spec.capacity`, or let the Job request less.',
  },
  {
    name: 'an annotation holds the Job',
    of: 'Job held by a policy',
    reason: 'Override',
    message: 'SuspendPolicy/default/narrow',
    event: 'HeldByPolicy',
    ends: 'Remove `millrace.dev/suspend-override` from it.',
  },
  {
    name: 'a policy cannot be followed',
    of: 'SuspendPolicy',
    reason: 'InvalidSpec',
    message: 'spec.schedule',
    condition: 'Accepted=False',
    event: 'InvalidSpec',
    ends: 'Correct the field in MESSAGE; until then nothing is suspended or resumed.',
  },
  {
    name: 'the API server refuses what a policy writes on an object',
    of: 'SuspendPolicy',
    reason: 'Refused',
    message: 'denied the request',
    condition: 'Refused=True',
    elsewhere: {
      lacking: 'a webhook that denies the change of a Job',
      test: 'test/cluster/suspend-denied.test.ts',
    },
    ends: 'Correct the cause in MESSAGE; the write is tried again once a minute. An Event on the object says so too.',
  },
  {
    name: 'another policy overrules it for some of its objects',
    of: 'SuspendPolicy',
    reason: 'OtherPolicies',
    message: 'other policies decide otherwise: SuspendPolicy/default/shut',
    condition: 'Conflicting=True',
    event: 'OtherPolicies',
    ends: 'Give the policies different selectors, or this one the higher precedence.',
  },
];
