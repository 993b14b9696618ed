/** How large a stored object may be. */
import type { Json } from './objects.ts';

/**
 * Limit of one stored object in bytes, with metadata and managedFields: 1.5 MiB, etcd's
 * --max-request-bytes. A larger JSON object is answered `500 etcdserver: request is too large`.
 */
export const maxStoredBytes = 1_572_864;

/** Size in bytes, in the format in which the API server stores custom resources. */
export function jsonBytes(value: Json | object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
