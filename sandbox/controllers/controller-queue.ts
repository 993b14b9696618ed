/**
 * The queue of controllers: their dirty keys in the order in which they became dirty, each at most once, and the times
 * of the next looks. It runs nothing by itself, so that a simulation can choose the order.
 */
import type { StoreEvent } from '../store/object-store.ts';
import type { Controller } from './controller.ts';

export interface Turn {
  readonly controller: Controller;
  readonly key: string;
}

interface Moment extends Turn {
  readonly atMs: number;
  /** Of two at the same time, the one that was set first comes first. */
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

  /** The next key to reconcile. It is no longer dirty. */
  take(): Turn | undefined {
    for (const [id, turn] of this.#dirty) {
      this.#dirty.delete(id);
      return turn;
    }
    return undefined;
  }

  /** The result of `reconcile`. Undefined revokes an earlier time. */
  lookAgain(turn: Turn, atMs: number | undefined): void {
    const id = idOf(turn);
    if (atMs === undefined) this.#moments.delete(id);
    else this.#moments.set(id, { ...turn, atMs, order: (this.#order += 1) });
  }

  /** Undefined: no key has a time. */
  get nextMs(): number | undefined {
    return this.#next()?.atMs;
  }

  /** Marks the keys whose time has come as dirty, the earliest first. */
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
