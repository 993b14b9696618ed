/** Whether only this machine reaches what listens there: 127.0.0.0/8, ::1 and localhost. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}
