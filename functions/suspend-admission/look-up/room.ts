/**
 * Whether a policy with a capacity can let in one more object. Its status says how many run and whether objects
 * wait. It may be seconds old, so what was let in or held since is remembered here. In doubt the object is held:
 * suspend-schedule soon resumes it, and the capacity is not exceeded. Replicas do not know each other, so together
 * they may let in too much; suspend-schedule suspends the excess.
 */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { Clock } from '#shared/domain/clock.ts';
import type { Uid } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';

/** A status shows the state of at most this long before it was written, milliseconds. */
const lagMs = 5_000;
/** After this long an object that was let in and never stored is forgotten, milliseconds. */
const longestMs = 60_000;

export interface Place {
  readonly hasRoom: boolean;
  /** When the last object was let in that the status may lack, milliseconds since the epoch. */
  readonly letInMs?: number;
}

/** Milliseconds since the epoch. */
interface Answered {
  readonly letIn: readonly number[];
  /** When an object was last held. */
  readonly heldMs: number;
}

const nothing: Answered = { letIn: [], heldMs: -Infinity };

export class Room {
  readonly #clock: Clock;
  readonly #answered = new Map<Uid, Answered>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Also takes the place, unless it is only a dry run. */
  take(policy: SuspendPolicy, isTrial: boolean): Place {
    const { metadata, status = {} } = policy;
    const { maxJobs, resources } = policy.spec.capacity ?? {};
    if (policy.spec.capacity === undefined) return { hasRoom: true };
    const nowMs = this.#clock.now();
    const countedMs = (parseTime(status.lastUpdateTime) ?? nowMs) - lagMs;
    const isUncounted = (atMs: number) => atMs > countedMs && atMs > nowMs - longestMs;
    const answered = this.#answered.get(metadata.uid) ?? nothing;
    const letIn = answered.letIn.filter(isUncounted);
    const isKnown = resources === undefined && status.observedGeneration === metadata.generation;
    const mayWait = status.held !== 0 || isUncounted(answered.heldMs);
    const hasRoom = isKnown && !mayWait && (status.running ?? 0) + letIn.length < (maxJobs ?? 0);
    if (!isTrial) {
      const next = hasRoom ? { letIn: [...letIn, nowMs] } : { letIn, heldMs: nowMs };
      this.#answered.set(metadata.uid, { ...answered, ...next });
    }
    const letInMs = letIn.at(-1);
    return { hasRoom, ...(letInMs === undefined ? {} : { letInMs }) };
  }
}
