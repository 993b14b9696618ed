/** What goes to Redis in clear text stays on this machine, unless somebody has said otherwise. */
import { Redis } from 'ioredis';
import { MillraceError } from '#shared/domain/errors.ts';
import { isLoopback } from '#shared/domain/loopback.ts';

/**
 * Throws MR_REDIS_INSECURE for an address beyond this machine without TLS, unless `insecure` allows
 * it. Nothing is connected. The address is read as the client reads it, parameters of the URL included.
 */
export function requireSecureRedis(url: string, insecure = false): void {
  const { host, port, path, tls } = new Redis(url, { lazyConnect: true }).options;
  // The client takes an empty `tls` or `path` for none.
  const isPrivate = Boolean(tls) || Boolean(path) || isLoopback(host ?? 'localhost');
  if (isPrivate || insecure) return;
  throw new MillraceError('MR_REDIS_INSECURE', { address: `${host ?? ''}:${port ?? 6379}` });
}
