/** What a decision says of itself: the parent's own word, and one for each part that has news. */
import type { Reason } from '#shared/domain/decision.ts';
import type { Part, ParentStatus, Words } from './parent.ts';

export function ownReason(
  { whole }: Words,
  { state, reason, message }: ParentStatus,
  progress: string,
): Reason {
  const known = state ?? 'Unknown';
  const fields = { state: known, progress };
  return { code: reason ?? known, message: message ?? `${whole} is ${known}`, fields };
}

export function partReason(
  { part }: Words,
  { name, state, reason, message }: Part & { readonly state: string },
  more: Reason['fields'] = {},
): Reason {
  const fields = { [part]: name, state, ...more };
  return { code: reason ?? state, message: `${part} ${name}: ${message ?? state}`, fields };
}
