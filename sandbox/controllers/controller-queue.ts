/**
 * Whose turn it is: keys by controller, in the order in which they became dirty, each at most once, and
 * the moments to look again. It runs nothing by itself, so that a simulation may choose the order.
 */
import type { StoreEvent } from '../store/object-store.ts';
import type { Controller } from './controller.ts';

export interface Turn {
  readonly controller: Controller;
  readonly key: string;
}

interface Moment extends Turn {
  readonly atMs: number;
  /** Of two at the same moment, the one that was set first goes first. */
  readonly order: number;
}

export class ControllerQueue {
  readonly #controllers: readonly Controller[];
  readonly #dirty = new Map<string, Turn>();
  readonly #moments = new Map<string, Moment>();
  #order = 0;

  constructor(controllers: readonly Controller[]) {
    this.#controllers = controllers;
  }

  observe(event: StoreEvent): void {
    for (const controller of this.#controllers) {
      for (const key of controller.keysFor(event)) this.add({ controller, key });
    }
  }

  add(turn: Turn): void {
    const id = idOf(turn);
    if (!this.#dirty.has(id)) this.#dirty.set(id, turn);
  }

  /** In the order of their turns. */
  get dirty(): readonly Turn[] {
    return [...this.#dirty.values()];
  }

  get isEmpty(): boolean {
    return this.#dirty.size === 0;
  }

  /** The next to be reconciled, no longer dirty from now on. */
  take(): Turn | undefined {
    for (const [id, turn] of this.#dirty) {
      this.#dirty.delete(id);
      return turn;
    }
    return undefined;
  }

  /** What `reconcile` returned; undefined takes an earlier moment back. */
  lookAgain(turn: Turn, atMs: number | undefined): void {
    const id = idOf(turn);
    if (atMs === undefined) this.#moments.delete(id);
    else this.#moments.set(id, { ...turn, atMs, order: (this.#order += 1) });
  }

  /** Undefined: nobody waits for a moment. */
  get nextMs(): number | undefined {
    return this.#next()?.atMs;
  }

  /** Makes dirty whose moment has come, the earliest first. */
  wake(nowMs: number): void {
    const due = [...this.#moments.values()]
      .filter(({ atMs }) => atMs <= nowMs)
      .toSorted((left, right) => left.atMs - right.atMs || left.order - right.order);
    for (const { controller, key } of due) {
      this.#moments.delete(idOf({ controller, key }));
      this.add({ controller, key });
    }
  }

  #next(): Moment | undefined {
    let next: Moment | undefined;
    for (const moment of this.#moments.values()) {
      if (next === undefined || moment.atMs < next.atMs) next = moment;
    }
    return next;
  }
}

const idOf = ({ controller, key }: Turn): string => `${controller.name} ${key}`;
