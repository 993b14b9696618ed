/**
 * Is the stored DaemonJob one that can be run? Admission may have been off when it was stored, so it is
 * asked again, with the same rules.
 */
import {
  daemonJobRuleFaults,
  daemonJobTemplateFaults,
  daemonJobUniquenessFaults,
} from '#shared/api/daemon-job-rules.ts';
import { isDns1123Label } from '#shared/domain/names.ts';
import { shapeFault } from '#shared/render/template-fault.ts';
import { hasStarted, type Situation } from './situation.ts';

export type Acceptance =
  | { readonly kind: 'accepted' }
  /** Nothing was started and nothing will be. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** It was started and is not what was started any more: it stands still until it is restored. */
  | { readonly kind: 'changed'; readonly message: string };

export function accept(situation: Situation): Acceptance {
  if (hasStarted(situation)) return isWhatWasStarted(situation);
  const { metadata, spec } = situation.daemonJob;
  if (!isDns1123Label(metadata.name)) {
    return { kind: 'rejected', message: `"${metadata.name}" is not a DNS-1123 label` };
  }
  const shape = shapeFault(spec);
  if (shape !== undefined) return { kind: 'rejected', message: shape };
  const [fault] = [
    ...daemonJobUniquenessFaults(spec),
    ...daemonJobRuleFaults(spec),
    ...daemonJobTemplateFaults(spec),
  ];
  return fault === undefined
    ? { kind: 'accepted' }
    : { kind: 'rejected', message: `${fault.path}: ${fault.message}` };
}

function isWhatWasStarted({ snapshot, status }: Situation): Acceptance {
  const { specHash } = snapshot;
  const isSame =
    specHash === undefined || status.specHash === undefined || specHash === status.specHash;
  if (isSame) return { kind: 'accepted' };
  const message = 'what runs was changed after the start; nothing new starts until it is restored';
  return { kind: 'changed', message };
}
