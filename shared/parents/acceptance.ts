/**
 * Whether a stored parent can be run. Admission may have been off when it was stored, so the same rules are checked
 * again. From its first child on, its spec must be the one that was started.
 */
import type { Finding } from '#shared/domain/findings.ts';
import { pendingRetry } from './manual-retry.ts';
import type { Parent } from './parent.ts';

export type Acceptance =
  | { readonly kind: 'accepted' }
  /** Nothing was started, and nothing will be. */
  | { readonly kind: 'rejected'; readonly reason: string; readonly message: string }
  /** Its spec changed after the start: it stands still until the spec is restored. */
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

/**
 * Compares hashes of the frozen part of the spec: the current one and the one recorded at the start. Undefined: it
 * cannot differ.
 */
export function isSameHash(now: string | undefined, recorded: string | undefined): boolean {
  return now === undefined || recorded === undefined || now === recorded;
}

/**
 * A change of the frozen spec is always a new generation. A change after the end is recorded without a check; a retry
 * checks it later.
 */
export function needsHash({ metadata, status }: Pick<Parent, 'metadata' | 'status'>): boolean {
  if (status?.startTime === undefined) return true;
  if (pendingRetry(metadata, status) !== undefined) return true;
  const known = status.conditions?.find(({ type }) => type === 'Accepted');
  return status.observedGeneration !== metadata.generation || known?.status === 'False';
}
