/** Times as text: RFC 3339 with nanoseconds, and Go's durations. */
import { Timestamp } from './cel-value.ts';

const pattern = /^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2})(?:[.,](\d+))?([Zz]|[+-]\d{2}:\d{2})$/;
/** Years 1 to 9999. */
const earliest = -62_135_596_800_000_000_000n;
const latest = 253_402_300_799_999_999_999n;

export function parseTimestamp(text: string): Timestamp | undefined {
  const [, seconds = '', fraction = '', zone = ''] = pattern.exec(text) ?? [];
  const ms = Date.parse(`${seconds}${zone}`.toUpperCase());
  if (Number.isNaN(ms) || !isRealDay(seconds)) return undefined;
  const ns = BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9) || '0');
  return inRange(ns) ? new Timestamp(ns, zoneMinutes(zone)) : undefined;
}

export function inRange(ns: bigint): boolean {
  return ns >= earliest && ns <= latest;
}

/** RFC 3339 in the value's time zone, with as many fractional digits as needed. */
export function timestampText({ ns, zoneMinutes: zone }: Timestamp): string {
  const [seconds, rest] = split(ns, 1_000_000_000n);
  const local = new Date((Number(seconds) + zone * 60) * 1000).toISOString().slice(0, 19);
  return `${local}${fractionText(rest)}${zoneText(zone)}`;
}

/** The fraction of a second, with its point and as many digits as needed. Empty for none. */
export function fractionText(ns: bigint): string {
  let digits = ns.toString().padStart(9, '0');
  while (digits.endsWith('0')) digits = digits.slice(0, -1);
  return digits === '' ? '' : `.${digits}`;
}

function zoneMinutes(zone: string): number {
  const [, sign = '', hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const size = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -size : size;
}

function zoneText(zone: number): string {
  if (zone === 0) return 'Z';
  const size = Math.abs(zone);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${zone < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The quotient rounded down, and the remainder. */
export function split(value: bigint, unit: bigint): readonly [bigint, bigint] {
  const rest = ((value % unit) + unit) % unit;
  return [(value - rest) / unit, rest];
}

function isRealDay(text: string): boolean {
  const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return date.getUTCDate() === Number(text.slice(8, 10));
}
