import type { WorkItem } from '#shared/domain/work-item.ts';

/** Accepts the work items of the bridge: a work queue or a sink. */
export interface Outlet {
  /**
   * Resolves when all items are accepted. Throws if one is not, or if that is unknown. The caller then
   * sends all of them again, which is harmless (publish-3). `occasion` distinguishes wakes under
   * an event that was sent before: a receiver may otherwise drop them as duplicates.
   */
  add(items: readonly WorkItem[], occasion?: string): Promise<void>;
}
