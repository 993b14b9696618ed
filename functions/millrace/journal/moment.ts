import { parseDate, parseTime } from '#shared/domain/time.ts';

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Parses a time: RFC 3339 with an offset, or a length of time before or after now. Milliseconds since the epoch.
 * Undefined: it is neither.
 */
export function momentOf(
  text: string,
  nowMs: number,
  side: 'before' | 'after' = 'before',
): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) {
    const lengthMs = Number(count) * unitsMs[unit as keyof typeof unitsMs];
    return side === 'before' ? nowMs - lengthMs : nowMs + lengthMs;
  }
  return instantOf(text);
}

/** Parses RFC 3339 with an offset. Milliseconds since the epoch. Undefined: it is something else. */
export function instantOf(text: string): number | undefined {
  const [, date] = /^([\d-]{10})T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.exec(text) ?? [];
  return date !== undefined && parseDate(date) !== undefined ? parseTime(text) : undefined;
}
