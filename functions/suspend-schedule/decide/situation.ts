/** The snapshot, read once for all parts of the decision. */
import type { SuspendPolicy, SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import type { DecisionInput } from '#shared/domain/decision.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { ScheduleState } from '#shared/schedule/schedule.ts';
import type { SuspendSnapshot } from '../snapshot.ts';
import { periodOf } from '#shared/suspension/mark.ts';
import { openingAt } from '#shared/suspension/opening.ts';
import { keyOf } from '#shared/suspension/policy-key.ts';

export interface Situation {
  readonly snapshot: SuspendSnapshot;
  readonly policy: SuspendPolicy;
  /** As observed; empty when nothing was ever written. */
  readonly status: SuspendPolicyStatus;
  readonly key: string;
  readonly nowMs: number;
  readonly state: ScheduleState;
  readonly period: string;
  /** What the other policies want by their schedules, in the order of the rivals. */
  readonly rivals: readonly ScheduleState[];
  /** What the API server has just refused to write. */
  readonly refused: ReadonlySet<Uid | undefined>;
}

/** Of a policy without faults. */
export function openSituation(snapshot: SuspendSnapshot, { nowMs }: DecisionInput): Situation {
  const { policy } = snapshot;
  const state = openingAt(policy.spec.schedule, nowMs);
  return {
    snapshot,
    policy,
    status: policy.status ?? {},
    key: keyOf(policy),
    nowMs,
    state,
    period: periodOf(state),
    rivals: snapshot.rivals.map(({ schedule }) => openingAt(schedule, nowMs)),
    refused: new Set(snapshot.rejections.map(({ uid }) => uid)),
  };
}
