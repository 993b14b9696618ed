import type { MonotonicClock } from '#shared/domain/clock.ts';
import { type Resource, resourceKey, type Uid } from '#shared/domain/objects.ts';
import type { WrittenObject } from '#shared/kube/apply-plan.ts';

/** No longer: an API server whose data was restored from a backup meanwhile may never have had it. */
const momentMs = 30_000;

interface Created {
  readonly resource: string;
  readonly trace: string;
  readonly atMs: number;
}

/**
 * What a process has created for an owner a moment ago: it was there, whatever is to be seen of it when somebody
 * looks again. Views may be away by then, and the API server tells nothing of what is gone.
 */
export class CreatedTraces {
  readonly #clock: MonotonicClock;
  /** By owner, oldest first; the owners in the order of their latest. */
  readonly #created = new Map<Uid, Created[]>();
  /** When a plan failed last, by owner, oldest first. */
  readonly #failed = new Map<Uid, number>();

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  add(
    owner: Uid,
    writes: readonly Pick<WrittenObject, 'done' | 'resource' | 'name' | 'trace'>[],
  ): void {
    const atMs = this.#clock.monotonicMs();
    const created = writes
      .filter(({ done }) => done === 'create' || done === 'adopt')
      .map(({ resource, name, trace = name }) => ({
        resource: resourceKey(resource),
        trace,
        atMs,
      }));
    if (created.length === 0) return;
    const known = this.#lately(owner);
    this.#created.delete(owner);
    this.#created.set(owner, [...known, ...created]);
    for (const [other, all] of this.#created) {
      const latest = all.at(-1);
      if (latest !== undefined && !this.#isLate(latest)) break;
      this.#created.delete(other);
    }
  }

  /** A plan for the owner failed: something may have been created until now whose answer was lost. */
  fail(owner: Uid): void {
    const nowMs = this.#clock.monotonicMs();
    this.#failed.delete(owner);
    this.#failed.set(owner, nowMs);
    for (const [other, atMs] of this.#failed) {
      if (nowMs - atMs <= momentMs) break;
      this.#failed.delete(other);
    }
  }

  /** When that was last, monotonic milliseconds; -Infinity: not a moment ago. */
  failedAtMs(owner: Uid): number {
    return this.#failed.get(owner) ?? -Infinity;
  }

  /** Traces, as `traceOf`. */
  of(owner: Uid, resource: Resource): readonly string[] {
    const key = resourceKey(resource);
    return this.#lately(owner).flatMap((each) => (each.resource === key ? [each.trace] : []));
  }

  #lately(owner: Uid): readonly Created[] {
    const known = this.#created.get(owner) ?? [];
    const first = known.findIndex((each) => !this.#isLate(each));
    return first === -1 ? [] : known.slice(first);
  }

  #isLate({ atMs }: Created): boolean {
    return this.#clock.monotonicMs() - atMs > momentMs;
  }
}
