/** What became of one delivery of a work item (design: "Verdicts"). */
export type Verdict =
  | { readonly kind: 'done' }
  /** Decided; look again at this time (milliseconds since the epoch). A fresh event comes first. */
  | { readonly kind: 'requeue'; readonly atMs: number }
  /** The receiver is busy or the state moved on: again soon, without an attempt being used. */
  | { readonly kind: 'later'; readonly afterMs?: number; readonly detail: string }
  /** It failed and may succeed later: again after a growing delay, an attempt is used. */
  | { readonly kind: 'retry'; readonly afterMs?: number; readonly detail: string }
  /** Trying again is useless until something changes: keep it aside with its reason. */
  | { readonly kind: 'parked'; readonly detail: string };
