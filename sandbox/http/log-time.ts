/** As the kubelet stamps lines of logs: RFC 3339 with nanoseconds, of which the sandbox knows three digits. */
export function rfc3339Nano(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000000Z');
}
