import type { HoldReason } from '#shared/domain/held-note.ts';
import type { Governed } from './standing.ts';

/** The state that the policy wants for an object. */
export type Wish =
  | { readonly kind: 'run' }
  /** It may run until then, although the policy is closed. */
  | { readonly kind: 'grace'; readonly untilMs: number }
  | {
      readonly kind: 'hold';
      readonly reason: HoldReason;
      readonly place?: number;
      /** The end of the override, if that is the reason. */
      readonly overrideUntilMs?: number;
      /** Until then its running work continues. */
      readonly letsFinishUntilMs?: number;
    }
  /** The policy does not decide about it now. */
  | { readonly kind: 'leave' };

export type Hold = Extract<Wish, { kind: 'hold' }>;

export interface Wished extends Governed {
  readonly wish: Wish;
}
