/**
 * The annotation `millrace.dev/suspend-override`: `Run` or `Hold`, until a time or for ever. Case and blanks do not
 * matter. A time needs its offset from UTC, because its meaning would otherwise depend on a process's clock.
 */
import { parseTime } from '#shared/domain/time.ts';

export interface Override {
  readonly wants: 'Run' | 'Hold';
  /** Absent: for ever. */
  readonly untilMs?: number;
}

const form = /^(run|hold)(?:\s*;\s*until\s*=\s*(\S+))?\s*;?$/i;
/** RFC 3339. */
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i;
/** Longer values are not quoted in a message. */
const longestRepeated = 60;

/** The annotation's value, even if it has expired; a text says why it is invalid. */
export function readOverride(text: string): Override | string {
  const [, word, until] = form.exec(text.trim()) ?? [];
  if (word === undefined) return `${quoted(text)} is neither Run nor Hold; ${usage}`;
  const wants = word.toLowerCase() === 'run' ? 'Run' : 'Hold';
  if (until === undefined) return { wants };
  const untilMs = instant.test(until) ? parseTime(until.toUpperCase()) : undefined;
  return untilMs === undefined
    ? `${quoted(until)} is no time with its offset from UTC; ${usage}`
    : { wants, untilMs };
}

/** Undefined: absent, expired or invalid. */
export function overrideAt(text: string | undefined, nowMs: number): Override | undefined {
  const read = text === undefined ? undefined : readOverride(text);
  if (read === undefined || typeof read === 'string') return undefined;
  return read.untilMs === undefined || read.untilMs > nowMs ? read : undefined;
}

const usage = 'write Run, Hold, or for example Run;until=2030-01-31T18:00:00Z';

function quoted(text: string): string {
  return JSON.stringify(
    text.length > longestRepeated ? `${text.slice(0, longestRepeated)}...` : text,
  );
}
