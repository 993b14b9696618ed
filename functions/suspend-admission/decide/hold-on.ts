/** The marks on a new object that a policy holds, as suspend-schedule would write them a moment later. */
import type { HoldReason } from '#shared/domain/held-note.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { ScheduleState } from '#shared/schedule/schedule.ts';
import { byAuthority } from '#shared/suspension/claim.ts';
import type { GovernedObject } from '#shared/suspension/governed-object.ts';
import { heldAnnotations, periodOf } from '#shared/suspension/mark.ts';
import { overrideAt } from '#shared/suspension/override.ts';
import type { SelectingPolicy } from '../facts.ts';

interface Moment {
  readonly policies: readonly SelectingPolicy[];
  readonly nowMs: number;
}

/** Annotations. Undefined: the object may run, or no policy concerns it. */
export function holdOn(
  { override: text }: Pick<GovernedObject, 'override'>,
  { policies, nowMs }: Moment,
): Readonly<Record<string, string>> | undefined {
  const [first] = policies.map(claimOf).sort(byAuthority);
  if (first === undefined) return undefined;
  const { policy, state, key } = first;
  const override = policy.forbidsOverrides === true ? undefined : overrideAt(text, nowMs);
  if (override?.wants === 'Run') return undefined;
  // With `adopt: Suspended`, objects that are submitted unsuspended are left alone.
  if (policy.adopt === 'Suspended' && override === undefined) return undefined;
  const reason = override === undefined ? reasonOf(policy, state) : 'Override';
  if (reason === undefined) return undefined;
  const untilMs = reason === 'WindowClosed' ? state.untilMs : override?.untilMs;
  const { letInMs } = policy;
  return heldAnnotations(policy.uid, periodOf(state), {
    policy: key,
    reason,
    since: rfc3339(nowMs),
    isUntold: true,
    ...(untilMs !== undefined ? { until: rfc3339(untilMs) } : {}),
    ...(reason === 'CapacityFull' && letInMs !== undefined ? { letIn: rfc3339(letInMs) } : {}),
  });
}

function claimOf(policy: SelectingPolicy) {
  const { key, precedence, hasCapacity, opening: state } = policy;
  return { key, precedence, hasCapacity, isOpen: state.opening === 'Open', policy, state };
}

function reasonOf(
  { hasRoom }: SelectingPolicy,
  { opening }: ScheduleState,
): HoldReason | undefined {
  if (opening === 'Closed') return 'WindowClosed';
  return hasRoom ? undefined : 'CapacityFull';
}
