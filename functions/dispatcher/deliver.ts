import type { Verdict } from '#shared/domain/verdict.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';

/** Nobody took the request, so that the item cannot be the reason. */
export interface Unreachable {
  readonly kind: 'unreachable';
  readonly detail: string;
}

/** The function does not believe who sends: keys or clocks differ, and no item can be the reason. */
export interface Refused {
  readonly kind: 'refused';
  readonly detail: string;
}

export type Delivery = Verdict | Unreachable | Refused;

/** Brings an item to its function. Rejects only by a fault of the program, which counts as a failure. */
export type Deliver = (item: WorkItem, signal: AbortSignal) => Promise<Delivery>;
