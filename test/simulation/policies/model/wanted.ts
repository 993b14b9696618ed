import type { SelectedObject } from '#functions/suspend-schedule/snapshot.ts';

/** What is wanted of one. */
export type Want = 'run' | 'hold' | 'seat' | 'grace' | 'leave';

export interface Wanted {
  readonly object: SelectedObject;
  readonly want: Want;
  /** It counts among those that have a seat while it runs. */
  readonly counts: boolean;
}
