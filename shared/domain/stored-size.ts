/** How large an object may be that the API server is to store. */
import type { Json } from './objects.ts';

/**
 * Bytes of one object as it is stored, metadata and managedFields included: 1.5 MiB, etcd's
 * --max-request-bytes. A JSON object above it is answered `500 etcdserver: request is too large`.
 */
export const maxStoredBytes = 1_572_864;

/** As the API server stores custom resources, in bytes. */
export function jsonBytes(value: Json | object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
