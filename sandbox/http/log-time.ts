/**
 * Timestamps of log lines as the kubelet writes them: RFC 3339 with nanoseconds. The sandbox knows only milliseconds.
 */
export function rfc3339Nano(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000000Z');
}
