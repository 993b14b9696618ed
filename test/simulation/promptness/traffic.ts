/** What comes and goes at the queue of one run. */
import { isEmptyPlan } from '#shared/domain/plan.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { Pass } from '../world/observed-function.ts';

/** So many looks in a row that the clock alone has asked for, and that find nothing, are no accident. */
const mostFruitlessLooks = 3;

export class Traffic {
  readonly faults: string[] = [];
  /** Flows that were added since they were taken last, by uid. */
  readonly #waiting = new Set<string>();
  /** Whether the clock alone has asked for the latest look at a flow. */
  readonly #timed = new Map<string, boolean>();
  readonly #fruitless = new Map<string, number>();
  readonly #fired: () => number;

  /** `fired`: how many faults have struck. */
  constructor(fired: () => number) {
    this.#fired = fired;
  }

  /** The queue has been given them. */
  adds(items: readonly WorkItem[]): void {
    for (const { key } of items) this.#waiting.add(key.uid);
  }

  takes({ key }: WorkItem): void {
    this.#timed.set(key.uid, !this.#waiting.delete(key.uid));
  }

  /** P2: nobody looks again and again although nothing was due. */
  onPass({ snapshot, decision }: Pass): void {
    const { name, uid } = snapshot.flow.metadata;
    // No event tells that the name of a step's Job is free.
    const hasFound = !isEmptyPlan(decision.plan) || snapshot.heldNames !== undefined;
    if (hasFound || this.#timed.get(uid) !== true) {
      this.#fruitless.delete(uid);
      return;
    }
    const looks = (this.#fruitless.get(uid) ?? 0) + 1;
    this.#fruitless.set(uid, looks);
    if (looks > mostFruitlessLooks + this.#fired()) {
      this.faults.push(
        `P2: the clock alone asked to look at ${name} ${looks} times in a row, for nothing`,
      );
    }
  }
}
