/**
 * Checks whether the stored DaemonJob can be run. It may have been stored without admission, so the same
 * rules are applied again.
 */
import {
  type Acceptance,
  accepted,
  changed,
  invalid,
  isSameHash,
} from '#shared/parents/acceptance.ts';
import { invalidSpec } from '../invalid-spec.ts';
import { hasStarted, type Situation } from './situation.ts';

export function accept(situation: Situation): Acceptance {
  if (hasStarted(situation)) return isWhatWasStarted(situation);
  const message = invalidSpec(situation.daemonJob);
  return message === undefined ? accepted : invalid(message);
}

function isWhatWasStarted({ snapshot, status }: Situation): Acceptance {
  if (isSameHash(snapshot.specHash, status.specHash)) return accepted;
  return changed(
    'a frozen field was changed after the start; nothing new starts until it is restored',
  );
}
