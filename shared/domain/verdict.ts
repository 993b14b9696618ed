/** What became of one delivery of a work item. */
export type Verdict =
  | { readonly kind: 'done' }
  /**
   * Decided; look again after so many milliseconds. A fresh event comes first. A wait and no time,
   * since the waiting process may have another clock: for one that is ahead every time has passed.
   */
  | { readonly kind: 'requeue'; readonly afterMs: number }
  /** The receiver is busy or the state moved on: again soon, without an attempt being used. */
  | { readonly kind: 'later'; readonly afterMs?: number; readonly detail: string }
  /** It failed and may succeed later: again after a growing delay, an attempt is used. */
  | { readonly kind: 'retry'; readonly afterMs?: number; readonly detail: string }
  /** Trying again is useless until something changes: keep it aside with its reason. */
  | { readonly kind: 'parked'; readonly detail: string };
