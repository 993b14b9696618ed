/**
 * Whether a policy with a capacity has room for one more. Its status says how many run and whether something
 * waits; it may be some seconds old, and what was let in or held since then is remembered here. When nobody
 * can tell, there is no room: what is suspended for it is resumed as soon as suspend-schedule has looked, and
 * the capacity is never exceeded for want of knowledge. Several replicas do not know of one another; what they
 * let in too much suspend-schedule suspends.
 */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { Clock } from '#shared/domain/clock.ts';
import type { Uid } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';

/** A status shows what was there at most this long before it was written, milliseconds. */
const lagMs = 5_000;
/** What was answered for and never came: forgotten after this long, milliseconds. */
const longestMs = 60_000;

export interface Place {
  readonly hasRoom: boolean;
  /** When the last one was let in that the status may lack, milliseconds since the epoch. */
  readonly letInMs?: number;
}

/** Milliseconds since the epoch. */
interface Answered {
  readonly letIn: readonly number[];
  /** When something was held the last time. */
  readonly heldMs: number;
}

const nothing: Answered = { letIn: [], heldMs: -Infinity };

export class Room {
  readonly #clock: Clock;
  readonly #answered = new Map<Uid, Answered>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes it as well, unless it is only asked for a trial. */
  take(policy: SuspendPolicy, isTrial: boolean): Place {
    const { metadata, status = {} } = policy;
    const { maxJobs, resources } = policy.spec.capacity ?? {};
    if (policy.spec.capacity === undefined) return { hasRoom: true };
    const nowMs = this.#clock.now();
    const toldMs = (parseTime(status.lastUpdateTime) ?? nowMs) - lagMs;
    const isUntold = (atMs: number) => atMs > toldMs && atMs > nowMs - longestMs;
    const answered = this.#answered.get(metadata.uid) ?? nothing;
    const letIn = answered.letIn.filter(isUntold);
    const isKnown = resources === undefined && status.observedGeneration === metadata.generation;
    const mayWait = status.held !== 0 || isUntold(answered.heldMs);
    const hasRoom = isKnown && !mayWait && (status.running ?? 0) + letIn.length < (maxJobs ?? 0);
    if (!isTrial) {
      const next = hasRoom ? { letIn: [...letIn, nowMs] } : { letIn, heldMs: nowMs };
      this.#answered.set(metadata.uid, { ...answered, ...next });
    }
    const letInMs = letIn.at(-1);
    return { hasRoom, ...(letInMs === undefined ? {} : { letInMs }) };
  }
}
