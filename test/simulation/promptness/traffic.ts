/** Counts passes that the clock alone caused and that found nothing to do. */
import { isEmptyPlan } from '#shared/domain/plan.ts';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import type { Pass } from '../model/kind-model.ts';
import type { Machine } from '../world/machine.ts';

/**
 * Most passes in a row that the clock alone may cause without a result, and most repetitions for the same moment.
 * If clocks drift apart, each wait ends slightly early and is repeated with a shorter one. Each further machine
 * with another clock permits as many again.
 */
const mostFruitlessLooks = 3;

interface FruitlessLooks {
  readonly looks: number;
  /** At the same moment as the pass before, if clocks drift apart. */
  readonly repeated: number;
  /** The time that the last pass waits for, in milliseconds since the epoch. */
  readonly dueMs: number | undefined;
  readonly machines: ReadonlySet<Machine>;
}

export interface TrafficOptions {
  /** Number of faults so far. */
  readonly fired: () => number;
  readonly clocksDiffer: boolean;
}

export class Traffic {
  readonly faults: string[] = [];
  /** Items that were added since the last take, by identity. */
  readonly #waiting = new Set<string>();
  /** Whether the clock alone caused a function's latest pass on an object. */
  readonly #timed = new Map<string, boolean>();
  readonly #fruitless = new Map<string, FruitlessLooks>();
  readonly #options: TrafficOptions;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** The items were added to the queue. */
  adds(items: readonly WorkItem[]): void {
    for (const item of items) this.#waiting.add(workItemIdentity(item));
  }

  /** Its worker stood still for longer than a lease: no clock causes the next pass. */
  comesBack(item: WorkItem): void {
    this.#waiting.add(workItemIdentity(item));
  }

  /** A run begins, which was caused by the addition of its item. */
  begins(item: WorkItem): void {
    this.#timed.set(workItemIdentity(item), false);
  }

  takes(item: WorkItem): void {
    const identity = workItemIdentity(item);
    this.#timed.set(identity, !this.#waiting.delete(identity));
  }

  /** promptness-2: the clock never causes pass after pass without anything due. */
  onPass({ kind, about: { name, uid }, snapshot, decision, machine }: Pass): void {
    const identity = `${kind.fn.subscription.name}/${uid}`;
    const { heldNames } = snapshot as Pick<FlowSnapshot, 'heldNames'>;
    // No event reports that the name of a step's Job is free.
    const hasFound = !isEmptyPlan(decision.plan) || heldNames !== undefined;
    if (hasFound || this.#timed.get(identity) !== true) {
      this.#fruitless.delete(identity);
      return;
    }
    const before = this.#fruitless.get(identity);
    const { fired, clocksDiffer } = this.#options;
    const dueMs = decision.requeueAtMs;
    const isRepeated = clocksDiffer && before !== undefined && before.dueMs === dueMs;
    const repeated = isRepeated ? before.repeated + 1 : 0;
    const looks = (before?.looks ?? 0) + (isRepeated ? 0 : 1);
    const machines = new Set([...(before?.machines ?? []), machine]);
    this.#fruitless.set(identity, { looks, repeated, dueMs, machines });
    const most = mostFruitlessLooks * (clocksDiffer ? machines.size : 1);
    const inARow = Math.max(looks, repeated);
    if (inARow > most + fired()) {
      this.faults.push(
        `promptness-2: the clock alone asked to look at ${name} ${inARow} times in a row, for nothing`,
      );
    }
  }
}
