/** Size limit for objects, with the messages of the API server and of etcd. */
import { jsonBytes } from '#shared/domain/stored-size.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ApiCall } from './api-call.ts';
import { StatusError } from '../apimachinery/status-error.ts';

/** 2 MiB: the limit for requests of the API server's etcd client. */
const maxSentBytes = 2_097_152;

/**
 * Throws StatusError 500 without a reason, as a server does. Counts bytes of JSON, even for built-in kinds, which a
 * cluster stores in the somewhat shorter protobuf.
 */
export function checkSize({ maxStoredBytes }: ApiCall, object: KubeObject): void {
  if (maxStoredBytes === undefined) return;
  const bytes = jsonBytes(object);
  if (bytes <= maxStoredBytes) return;
  throw new StatusError(500, '', bytes <= maxSentBytes ? tooLarge : tooLargeToSend(bytes));
}

const tooLarge = 'etcdserver: request is too large';

function tooLargeToSend(bytes: number): string {
  return `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${bytes} vs. ${maxSentBytes})`;
}
