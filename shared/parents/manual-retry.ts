/** The retry by hand that somebody asks for with an annotation of a flow (rule 13). */
import type { Condition } from '#shared/domain/conditions.ts';
import type { Finding } from '#shared/domain/findings.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { ParentStatus } from './parent.ts';

/** What `status.retryNonce` takes, in characters; an annotation may be longer. */
const maxNonceLength = 1024;

interface Asked {
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Handled {
  readonly retryNonce?: string;
}

/**
 * The value that asks for a retry and that the status does not name yet; undefined: nothing is asked
 * for. An empty annotation asks for nothing, as one that was taken away.
 */
export function pendingRetry(
  { annotations: given }: Asked,
  status: Handled | undefined,
): string | undefined {
  const nonce = given?.[annotations.retry]?.slice(0, maxNonceLength);
  return nonce === '' || nonce === status?.retryNonce ? undefined : nonce;
}

/** What becomes of the retry that is asked for. */
export interface RetryOutcome {
  /** To be recorded, so that one value starts one retry. */
  readonly nonce: string | undefined;
  /** It is asked for and not on record yet, and it is not refused. */
  readonly isNew: boolean;
  /** Nothing of what the new value asks for is done. */
  readonly refusal?: { readonly reason: string; readonly message: string };
}

/** What refuses the retry that is handled by this change; undefined: there is none, or it is granted. */
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

/** Said when it is handled, and not touched afterwards. */
export function retryFinding({ isNew, refusal }: RetryOutcome): readonly Finding<'RetryRefused'>[] {
  if (!isNew && refusal === undefined) return [];
  const isTrue = refusal !== undefined;
  const { reason, message } = refusal ?? { reason: 'Accepted', message: 'the retry is under way' };
  return [{ type: 'RetryRefused', onlyWhenKnown: true, isTrue, reason, message }];
}
