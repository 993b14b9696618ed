/** Ages as the API server prints them into tables (apimachinery util/duration HumanDuration). */
import { parseTime } from '#shared/domain/time.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** `ms` milliseconds as `5m`, `2d`, `3h12m`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 10 * minute) return pair(seconds, minute, 'm', 1, 's');
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`;
  if (seconds < 8 * hour) return pair(seconds, hour, 'h', minute, 'm');
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`;
  if (seconds < 8 * day) return pair(seconds, day, 'd', hour, 'h');
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`;
  if (seconds < 8 * year) return pair(seconds, year, 'y', day, 'd');
  return `${Math.floor(seconds / year)}y`;
}

/** Since a metav1.Time. */
export function age(time: string | null | undefined, nowMs: number): string {
  const ms = parseTime(time);
  return ms === undefined ? '<unknown>' : humanDuration(nowMs - ms);
}

function pair(seconds: number, large: number, unit: string, small: number, rest: string): string {
  const remainder = Math.floor((seconds % large) / small);
  const whole = `${Math.floor(seconds / large)}${unit}`;
  return remainder === 0 ? whole : `${whole}${remainder}${rest}`;
}
