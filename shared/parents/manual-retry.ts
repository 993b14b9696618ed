/** The manual retry that a user requests by an annotation (rule 13). */
import type { Condition } from '#shared/domain/conditions.ts';
import type { Finding } from '#shared/domain/findings.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { ParentStatus } from './parent.ts';

/** Longest `status.retryNonce`, in characters. An annotation may be longer. */
const maxNonceLength = 1024;

interface Asked {
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Handled {
  readonly retryNonce?: string;
}

/**
 * The value of the annotation that is not in the status yet. Undefined: no retry is requested. An empty
 * annotation counts as a removed one.
 */
export function pendingRetry(
  { annotations: given }: Asked,
  status: Handled | undefined,
): string | undefined {
  const nonce = given?.[annotations.retry]?.slice(0, maxNonceLength);
  return nonce === '' || nonce === status?.retryNonce ? undefined : nonce;
}

/** The result of a requested retry. */
export interface RetryOutcome {
  /** Recorded, so that one value starts one retry. */
  readonly nonce: string | undefined;
  /** It is requested, not recorded yet, and not refused. */
  readonly isNew: boolean;
  /** Present: nothing that the new value requests is done. */
  readonly refusal?: { readonly reason: string; readonly message: string };
}

/** Why the retry in this change is refused. Undefined: there is none, or it is granted. */
export function refusalIn({
  before,
  after,
}: {
  readonly before: ParentStatus;
  readonly after: ParentStatus;
}): Condition | undefined {
  if (before.retryNonce === after.retryNonce) return undefined;
  return after.conditions?.find(({ type, status }) => type === 'RetryRefused' && status === 'True');
}

/** Reported when the retry is handled, and not changed afterwards. */
export function retryFinding({ isNew, refusal }: RetryOutcome): readonly Finding<'RetryRefused'>[] {
  if (!isNew && refusal === undefined) return [];
  const isTrue = refusal !== undefined;
  const { reason, message } = refusal ?? { reason: 'Accepted', message: 'the retry is under way' };
  return [{ type: 'RetryRefused', onlyWhenKnown: true, isTrue, reason, message }];
}
