import type { Verdict } from '#shared/domain/verdict.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';

/** No process received the request, so the item cannot be the cause. */
export interface Unreachable {
  readonly kind: 'unreachable';
  readonly detail: string;
}

/** The function rejects the sender: keys or clocks differ, so the item cannot be the cause. */
export interface Refused {
  readonly kind: 'refused';
  readonly detail: string;
}

export type Delivery = Verdict | Unreachable | Refused;

/** Delivers an item to its function. Rejects only because of a bug, which counts as a failure. */
export type Deliver = (item: WorkItem, signal: AbortSignal) => Promise<Delivery>;
