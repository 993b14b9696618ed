/**
 * Is the stored DaemonJob one that can be run? Admission may have been off when it was stored, so it is
 * asked again, with the same rules.
 */
import { invalidSpec } from '../invalid-spec.ts';
import { hasStarted, type Situation } from './situation.ts';

export type Acceptance =
  | { readonly kind: 'accepted' }
  /** Nothing was started and nothing will be. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** It was started and is not what was started any more: it stands still until it is restored. */
  | { readonly kind: 'changed'; readonly message: string };

export function accept(situation: Situation): Acceptance {
  if (hasStarted(situation)) return isWhatWasStarted(situation);
  const message = invalidSpec(situation.daemonJob);
  return message === undefined ? { kind: 'accepted' } : { kind: 'rejected', message };
}

function isWhatWasStarted({ snapshot, status }: Situation): Acceptance {
  const { specHash } = snapshot;
  const isSame =
    specHash === undefined || status.specHash === undefined || specHash === status.specHash;
  if (isSame) return { kind: 'accepted' };
  const message =
    'a frozen field was changed after the start; nothing new starts until it is restored';
  return { kind: 'changed', message };
}
