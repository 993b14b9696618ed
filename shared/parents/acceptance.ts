/**
 * Is the stored parent one that can be run? Admission may have been off when it was stored, so it is asked again, with
 * the same rules. From its first child on it has to be what was started.
 */
import type { Finding } from '#shared/domain/findings.ts';
import { pendingRetry } from './manual-retry.ts';
import type { Parent } from './parent.ts';

export type Acceptance =
  | { readonly kind: 'accepted' }
  /** Nothing was started and nothing will be. */
  | { readonly kind: 'rejected'; readonly reason: string; readonly message: string }
  /** It was started and is not what was started any more: it stands still until it is restored. */
  | { readonly kind: 'changed'; readonly reason: 'SpecChanged'; readonly message: string };

export const accepted: Acceptance = { kind: 'accepted' };

export function invalid(message: string): Acceptance {
  return { kind: 'rejected', reason: 'InvalidSpec', message };
}

export function changed(message: string): Acceptance {
  return { kind: 'changed', reason: 'SpecChanged', message };
}

export function notAccepted(reason: string, message: string): Finding<'Accepted'> {
  return { type: 'Accepted', isTrue: false, reason, message };
}

/** Of the frozen part of the spec, as it is and as it was recorded at the start; undefined: it cannot differ. */
export function isSameHash(now: string | undefined, recorded: string | undefined): boolean {
  return now === undefined || recorded === undefined || now === recorded;
}

/**
 * The frozen part of the spec can only differ after a change, and every change is a new generation. One
 * after the end is noted without a look, which a retry makes up for.
 */
export function needsHash({ metadata, status }: Pick<Parent, 'metadata' | 'status'>): boolean {
  if (status?.startTime === undefined) return true;
  if (pendingRetry(metadata, status) !== undefined) return true;
  const known = status.conditions?.find(({ type }) => type === 'Accepted');
  return status.observedGeneration !== metadata.generation || known?.status === 'False';
}
