/** Clear text to Redis stays on this machine, unless a setting allows more. */
import { Redis } from 'ioredis';
import { MillraceError } from '#shared/domain/errors.ts';
import { isLoopback } from '#shared/domain/loopback.ts';

/**
 * Throws MR_REDIS_INSECURE for an address beyond this machine without TLS, unless `insecure` allows it.
 * Makes no connection. The address is parsed as the client does, including URL parameters.
 */
export function requireSecureRedis(url: string, insecure = false): void {
  const { host, port, path, tls } = new Redis(url, { lazyConnect: true }).options;
  // The client treats an empty `tls` or `path` as absent.
  const isPrivate = Boolean(tls) || Boolean(path) || isLoopback(host ?? 'localhost');
  if (isPrivate || insecure) return;
  throw new MillraceError('MR_REDIS_INSECURE', { address: `${host ?? ''}:${port ?? 6379}` });
}
