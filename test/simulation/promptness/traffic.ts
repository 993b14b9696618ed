/** How often the clock alone has asked for a look at an object that found nothing. */
import { isEmptyPlan } from '#shared/domain/plan.ts';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import type { Pass } from '../model/kind-model.ts';
import type { Machine } from '../world/machine.ts';

/**
 * So many looks in a row that the clock alone has asked for, and that find nothing, are no accident, nor are
 * so many more at the same moment: where clocks drift apart each wait ends a little early, and the next is that
 * much shorter. A machine whose clock is another one begins that anew.
 */
const mostFruitlessLooks = 3;

interface FruitlessLooks {
  readonly looks: number;
  /** Of the same moment as the look before, where clocks drift apart. */
  readonly repeated: number;
  /** What the last of them waits for, milliseconds since the epoch. */
  readonly dueMs: number | undefined;
  readonly machines: ReadonlySet<Machine>;
}

export interface TrafficOptions {
  /** How many faults have struck. */
  readonly fired: () => number;
  readonly clocksDiffer: boolean;
}

export class Traffic {
  readonly faults: string[] = [];
  /** What was added since it was taken last, by identity. */
  readonly #waiting = new Set<string>();
  /** Whether the clock alone has asked for a function's latest look at an object. */
  readonly #timed = new Map<string, boolean>();
  readonly #fruitless = new Map<string, FruitlessLooks>();
  readonly #options: TrafficOptions;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** The queue has been given them. */
  adds(items: readonly WorkItem[]): void {
    for (const item of items) this.#waiting.add(workItemIdentity(item));
  }

  /** Its worker stood still for longer than a lease lasts: no clock asks for the next look. */
  comesBack(item: WorkItem): void {
    this.#waiting.add(workItemIdentity(item));
  }

  /** A run begins with the addition of its item. */
  begins(item: WorkItem): void {
    this.#timed.set(workItemIdentity(item), false);
  }

  takes(item: WorkItem): void {
    const identity = workItemIdentity(item);
    this.#timed.set(identity, !this.#waiting.delete(identity));
  }

  /** PR2: nobody looks again and again although nothing was due. */
  onPass({ kind, about: { name, uid }, snapshot, decision, machine }: Pass): void {
    const identity = `${kind.fn.subscription.name}/${uid}`;
    const { heldNames } = snapshot as Pick<FlowSnapshot, 'heldNames'>;
    // No event tells that the name of a step's Job is free.
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
        `PR2: the clock alone asked to look at ${name} ${inARow} times in a row, for nothing`,
      );
    }
  }
}
