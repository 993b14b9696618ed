/** How large an object may be: what etcd takes by default (--max-request-bytes). */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ApiCall } from './api-call.ts';
import { StatusError } from './status-error.ts';

/** 1.5 MiB. */
export const etcdRequestBytes = 1_572_864;

/**
 * Throws StatusError 500 in etcd's words. Counted in JSON, also of built-in kinds, which a cluster
 * stores in the somewhat shorter protobuf.
 */
export function checkSize({ maxStoredBytes }: ApiCall, object: KubeObject): void {
  if (maxStoredBytes === undefined) return;
  if (Buffer.byteLength(JSON.stringify(object)) <= maxStoredBytes) return;
  throw new StatusError(500, '', 'etcdserver: request is too large');
}
