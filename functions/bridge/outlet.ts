import type { WorkItem } from '#shared/domain/work-item.ts';

/** Where the bridge hands on what has to be looked at: a work queue is one, and so is a sink. */
export interface Outlet {
  /**
   * Fulfils when all items are taken. Throws when one of them is not, or nobody knows; then all of them
   * come again, and a repetition is harmless (P3 of publish.ts). `occasion` tells apart what asks for
   * another look at what was told before: a receiver may take an event that it has seen for a repetition
   * and drop it.
   */
  add(items: readonly WorkItem[], occasion?: string): Promise<void>;
}
