/** The reasons of a decision: the parent's own, and one for each part with news. */
import type { Reason } from '#shared/domain/decision.ts';
import { refusalIn } from './manual-retry.ts';
import type { Part, ParentStatus, Words } from './parent.ts';

/** Includes, once, the refusal of the latest retry. */
export function ownReasons(
  { whole }: Words,
  change: { readonly before: ParentStatus; readonly after: ParentStatus },
  progress: string,
): readonly Reason[] {
  const { state = 'Unknown', reason = state, message = `${whole} is ${state}` } = change.after;
  const refusal = refusalIn(change);
  return [
    { code: reason, message, fields: { state, progress } },
    ...(refusal === undefined ? [] : [{ code: refusal.reason, message: refusal.message }]),
  ];
}

export function partReason(
  { part }: Words,
  { name, state, reason, message }: Part & { readonly state: string },
  more: Reason['fields'] = {},
): Reason {
  const fields = { [part]: name, state, ...more };
  return { code: reason ?? state, message: `${part} ${name}: ${message ?? state}`, fields };
}
