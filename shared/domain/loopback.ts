import { isIPv4 } from 'node:net';

/** Whether the host is reachable from this machine only: 127.0.0.0/8, ::1 and the names of RFC 6761. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  return /^(?:\[::1\]|::1|(?:.+\.)?localhost)$/.test(host);
}
