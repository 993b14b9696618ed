/**
 * The annotation `millrace.dev/suspend-override`: `Run` or `Hold`, until a time or for ever. Capitals and blanks do not
 * matter. A time needs its offset from UTC: without one it would mean what the clock of some process means by it.
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
/** Longer ones are not repeated in a message. */
const longestRepeated = 60;

/** What is written, however long ago it has expired; text: why it cannot be read. */
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

/** Undefined: there is none, it has expired, or it cannot be read. */
export function overrideAt(text: string | undefined, nowMs: number): Override | undefined {
  const read = text === undefined ? undefined : readOverride(text);
  if (read === undefined || typeof read === 'string') return undefined;
  return read.untilMs === undefined || read.untilMs > nowMs ? read : undefined;
}

const usage = 'write Run, Hold, or for example Run;until=2026-11-21T18:00:00Z';

function quoted(text: string): string {
  return JSON.stringify(
    text.length > longestRepeated ? `${text.slice(0, longestRepeated)}...` : text,
  );
}
