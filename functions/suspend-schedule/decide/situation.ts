/** The snapshot, read once for all parts of the decision. */
import type { SuspendPolicy, SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import type { DecisionInput } from '#shared/domain/decision.ts';
import type { Uid } from '#shared/domain/objects.ts';
import type { ScheduleState } from '#shared/schedule/schedule.ts';
import { timesOf } from '#shared/schedule/schedule-times.ts';
import type { SuspendSnapshot } from '../snapshot.ts';
import { keyOf } from './policy-key.ts';

export interface Situation {
  readonly snapshot: SuspendSnapshot;
  readonly policy: SuspendPolicy;
  /** As observed; empty when nothing was ever written. */
  readonly status: SuspendPolicyStatus;
  readonly key: string;
  readonly nowMs: number;
  readonly state: ScheduleState;
  /** Names the period between two transitions: what somebody sets otherwise stays so within it. */
  readonly period: string;
  /** What the other policies want by their schedules, in the order of the rivals. */
  readonly rivals: readonly ScheduleState[];
  /** What the API server has just refused to write. */
  readonly refused: ReadonlySet<Uid | undefined>;
}

const alwaysOpen: ScheduleState = { opening: 'Open', because: [] };

/** Of a policy without faults. */
export function openSituation(snapshot: SuspendSnapshot, { nowMs }: DecisionInput): Situation {
  const { policy } = snapshot;
  const { schedule } = policy.spec;
  const state = schedule === undefined ? alwaysOpen : timesOf(schedule).stateAt(nowMs);
  return {
    snapshot,
    policy,
    status: policy.status ?? {},
    key: keyOf(policy),
    nowMs,
    state,
    period: String(Math.floor((state.sinceMs ?? 0) / 1_000)),
    rivals: snapshot.rivals.map((rival) =>
      rival.schedule === undefined ? alwaysOpen : timesOf(rival.schedule).stateAt(nowMs),
    ),
    refused: new Set(snapshot.rejections.map(({ uid }) => uid)),
  };
}
