/** The rules on a suspend policy beyond its schema, in the API server's words, as in job-flow-rules.ts. */
import { scheduleFaults } from '#shared/schedule/schedule-faults.ts';
import type { Fault } from './fault.ts';
import { type ClusterSuspendPolicySpec, roomIsKueues } from './suspend-policy.ts';
import { queueKinds } from './work/governed-kinds.ts';

type Spec = ClusterSuspendPolicySpec;
type Selector = NonNullable<Spec['selector']>;

/** Breaches of the policy's CEL rules about one object. */
export function suspendPolicyRuleFaults(spec: Spec): readonly Fault[] {
  return [
    ...emptyPolicy(spec),
    ...queueFaults(spec),
    ...selectorFaults(spec.selector, 'spec.selector'),
    ...selectorFaults(spec.namespaceSelector, 'spec.namespaceSelector'),
    ...emptyCapacity(spec),
    ...emptySchedule(spec),
    ...graceFaults(spec),
  ];
}

/** A policy is checked at each decision. */
const known = new WeakMap<Spec, readonly Fault[]>();

/** Includes breaches that a schema cannot see: time zones, cron expressions, and windows that never open. */
export function suspendPolicyFaults(spec: Spec): readonly Fault[] {
  let faults = known.get(spec);
  if (faults === undefined) {
    faults = [...suspendPolicyRuleFaults(spec), ...calendarFaults(spec)];
    known.set(spec, faults);
  }
  return faults;
}

function calendarFaults({ schedule }: Spec): readonly Fault[] {
  const faults = schedule === undefined ? [] : scheduleFaults(schedule);
  return faults.map(({ path, message }) => ({ path: `spec.schedule.${path}`, message }));
}

function emptyPolicy({ schedule, capacity }: Spec): readonly Fault[] {
  if (schedule !== undefined || capacity !== undefined) return [];
  return [{ path: 'spec', message: 'a policy has a schedule, a capacity, or both' }];
}

/** For a queue of Kueue only windows count. */
function queueFaults({
  kinds = [],
  capacity,
  onResume,
  adopt = 'Running',
}: Spec): readonly Fault[] {
  const isOfWindows = capacity === undefined && onResume === undefined && adopt === 'Running';
  if (isOfWindows || !kinds.some((kind) => queueKinds.includes(kind))) return [];
  return [{ path: 'spec', message: roomIsKueues }];
}

function emptyCapacity({ capacity }: Spec): readonly Fault[] {
  if (capacity === undefined) return [];
  if (capacity.maxJobs !== undefined || capacity.resources !== undefined) return [];
  return [{ path: 'spec.capacity', message: 'a capacity has maxJobs, resources, or both' }];
}

function selectorFaults(selector: Selector | undefined, path: string): readonly Fault[] {
  return (selector?.matchExpressions ?? []).flatMap(({ operator, values = [] }, index) => {
    const takesValues = operator === 'In' || operator === 'NotIn';
    if (takesValues === values.length > 0) return [];
    const message = 'values are there for In and NotIn, and for no other operator';
    return [{ path: `${path}.matchExpressions[${index}]`, message }];
  });
}

function emptySchedule({ schedule }: Spec): readonly Fault[] {
  if (schedule === undefined || schedule.windows !== undefined) return [];
  if ((schedule.exceptions ?? []).length > 0) return [];
  return [{ path: 'spec.schedule', message: 'a schedule has windows, exceptions, or both' }];
}

function graceFaults({ schedule }: Spec): readonly Fault[] {
  const { action, afterSeconds, warnSeconds } = schedule?.onClose ?? {};
  const hasGrace = afterSeconds !== undefined;
  const isGood =
    action === 'SuspendAfter'
      ? hasGrace && (warnSeconds ?? 0) <= afterSeconds
      : !hasGrace && warnSeconds === undefined;
  if (isGood) return [];
  const message =
    'afterSeconds is there if and only if the action is SuspendAfter, and warnSeconds is not longer';
  return [{ path: 'spec.schedule.onClose', message }];
}
