/** The result of one delivery of a work item. */
export type Verdict =
  | { readonly kind: 'done' }
  /**
   * Decided; look again after this wait. A fresh event ends the wait. It is a duration, not a time:
   * a process with a fast clock would see every time as past.
   */
  | { readonly kind: 'requeue'; readonly afterMs: number }
  /** The receiver is busy or the state changed: try again soon, without counting an attempt. */
  | { readonly kind: 'later'; readonly afterMs?: number; readonly detail: string }
  /** Failed, may succeed later: try again after a growing delay, and count an attempt. */
  | { readonly kind: 'retry'; readonly afterMs?: number; readonly detail: string }
  /** Trying again is useless until something changes: set aside with its reason. */
  | { readonly kind: 'parked'; readonly detail: string };
