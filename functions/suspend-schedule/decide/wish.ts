import type { HoldReason } from '#shared/domain/held-note.ts';
import type { Governed } from './standing.ts';

/** What is wanted of an object. */
export type Wish =
  | { readonly kind: 'run' }
  /** It goes on until then although it is closed. */
  | { readonly kind: 'grace'; readonly untilMs: number }
  | {
      readonly kind: 'hold';
      readonly reason: HoldReason;
      readonly place?: number;
      /** Until then what runs of it goes on. */
      readonly letsFinishUntilMs?: number;
    }
  /** Not the policy's to decide just now. */
  | { readonly kind: 'leave' };

export interface Wished extends Governed {
  readonly wish: Wish;
}
