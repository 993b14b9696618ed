import type { MonotonicClock } from '#shared/domain/clock.ts';
import { type Resource, resourceKey, type Uid } from '#shared/domain/objects.ts';
import type { WrittenObject } from '#shared/kube/apply-plan.ts';

/**
 * Older traces are dropped: an API server that was restored from a backup meanwhile may never have had the
 * objects.
 */
const momentMs = 30_000;

interface Created {
  readonly resource: string;
  readonly trace: string;
  readonly atMs: number;
}

/**
 * The children that a process has just created for an owner. They existed, even if the next pass does not see
 * them: views may be lost by then, and the API server does not report deleted objects.
 */
export class CreatedTraces {
  readonly #clock: MonotonicClock;
  /** By owner, oldest first. Owners are in the order of their latest child. */
  readonly #created = new Map<Uid, Created[]>();
  /** When a plan last failed, by owner, oldest first. */
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

  /** A plan for the owner failed: objects may have been created although the answer was lost. */
  fail(owner: Uid): void {
    const nowMs = this.#clock.monotonicMs();
    this.#failed.delete(owner);
    this.#failed.set(owner, nowMs);
    for (const [other, atMs] of this.#failed) {
      if (nowMs - atMs <= momentMs) break;
      this.#failed.delete(other);
    }
  }

  /** When a plan last failed, in monotonic milliseconds. -Infinity: not recently. */
  failedAtMs(owner: Uid): number {
    return this.#failed.get(owner) ?? -Infinity;
  }

  /** Traces as from `traceOf`. */
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
