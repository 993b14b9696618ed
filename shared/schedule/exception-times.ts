/** Exceptions as instants. */
import { parseDate, parseTime } from '#shared/domain/time.ts';
import type { Opening, ScheduleException } from './schedule.ts';
import type { WallClock } from './time-zone.ts';

export interface ExceptionTimes {
  readonly name: string;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly opening: Opening;
}

const dayMs = 86_400_000;

/** Undefined if it names no valid time; `exceptionFault` says why. */
export function exceptionTimes(
  exception: ScheduleException,
  clock: WallClock,
): ExceptionTimes | undefined {
  const span = exception.date === undefined ? written(exception) : wholeDay(exception.date, clock);
  if (span === undefined || span.fromMs >= span.toMs) return undefined;
  const name = exception.name ?? exception.date ?? `${exception.from ?? ''}/${exception.to ?? ''}`;
  return { name, ...span, opening: exception.state };
}

/** Why an exception names no valid time. Undefined: it does. */
export function exceptionFault(exception: ScheduleException): string | undefined {
  const { date, from, to } = exception;
  if (date !== undefined) {
    if (from !== undefined || to !== undefined) {
      return 'it has a date, and from or to as well; write either the date, or from and to';
    }
    return parseDate(date) === undefined
      ? `${JSON.stringify(date)} is no date; write one such as 2026-12-24`
      : undefined;
  }
  const span = written(exception);
  if (span === undefined) {
    return 'it has no time; write either a date, or from and to as times with an offset, such as 2026-12-24T00:00:00+01:00';
  }
  return span.fromMs < span.toMs ? undefined : 'to is not after from; write a later to';
}

function written({ from, to }: ScheduleException): { fromMs: number; toMs: number } | undefined {
  const [fromMs, toMs] = [instant(from), instant(to)];
  return fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs };
}

/** Without an offset the runtime would use the machine's zone. */
function instant(text: string | undefined): number | undefined {
  return text !== undefined && /(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? parseTime(text) : undefined;
}

function wholeDay(date: string, clock: WallClock): { fromMs: number; toMs: number } | undefined {
  const wall = parseDate(date);
  if (wall === undefined) return undefined;
  return { fromMs: clock.instantOf(wall), toMs: clock.instantOf(wall + dayMs) };
}
