import type { SelectedObject } from '#functions/suspend-schedule/snapshot.ts';

/** The wanted state of an object. */
export type Want = 'run' | 'hold' | 'seat' | 'grace' | 'leave';

export interface Wanted {
  readonly object: SelectedObject;
  readonly want: Want;
  /** It counts towards the capacity while it runs. */
  readonly counts: boolean;
}
