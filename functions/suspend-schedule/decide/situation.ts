/** The snapshot, evaluated once for the whole decision. */
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
  /** As observed. Empty: no status was written yet. */
  readonly status: SuspendPolicyStatus;
  readonly key: string;
  readonly nowMs: number;
  readonly state: ScheduleState;
  readonly period: string;
  /** The states of the rivals' schedules, in the order of the rivals. */
  readonly rivals: readonly ScheduleState[];
  /** Objects for which the API server has just refused a write. */
  readonly refused: ReadonlySet<Uid | undefined>;
}

/** Only for a policy without faults. */
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
