/**
 * Whether a policy with a capacity has room for one more. Its status says how many run; it may be some
 * seconds old, and what was let in since then is counted here. When nobody can tell, there is no room:
 * what is suspended for it is resumed as soon as suspend-schedule has looked, and the capacity is never
 * exceeded for want of knowledge. Several replicas do not know of one another; what they let in too much
 * suspend-schedule suspends.
 */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import type { Clock } from '#shared/domain/clock.ts';
import type { Uid } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';

/** A status tells of what was there so long before it was written at the latest, milliseconds. */
const lagMs = 5_000;
/** What was let in and never came: forgotten after this long, milliseconds. */
const longestMs = 60_000;

export class Room {
  readonly #clock: Clock;
  readonly #letIn = new Map<Uid, readonly number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes it as well, unless it is only asked for a trial. */
  take(policy: SuspendPolicy, isTrial: boolean): boolean {
    const { metadata, status = {} } = policy;
    const { maxJobs, resources } = policy.spec.capacity ?? {};
    if (policy.spec.capacity === undefined) return true;
    if (maxJobs === undefined || resources !== undefined) return false;
    if (status.observedGeneration !== metadata.generation || status.held !== 0) return false;
    const nowMs = this.#clock.now();
    const toldMs = (parseTime(status.lastUpdateTime) ?? nowMs) - lagMs;
    const untold = (this.#letIn.get(metadata.uid) ?? []).filter(
      (atMs) => atMs > toldMs && atMs > nowMs - longestMs,
    );
    const hasRoom = (status.running ?? 0) + untold.length < maxJobs;
    this.#letIn.set(metadata.uid, hasRoom && !isTrial ? [...untold, nowMs] : untold);
    return hasRoom;
  }
}
