/** The retry by hand that somebody asks for with an annotation of a flow (rule 13). */
import { annotations } from './labels.ts';

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
