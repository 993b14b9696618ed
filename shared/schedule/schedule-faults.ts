/** What is wrong with a schedule, in words for whoever wrote it. */
import { readCron, type CronTimes } from './cron-times.ts';
import { exceptionFault } from './exception-times.ts';
import type { Schedule, TimeWindow } from './schedule.ts';
import { timeZoneFault } from './time-zone.ts';

export interface ScheduleFault {
  /** Relative to the schedule, for example `windows[0].open`. */
  readonly path: string;
  readonly message: string;
}

/** Every day of the week comes on every day of the year but February 29 within so long. */
const horizonMs = 12 * 366 * 86_400_000;
/** Expressions that name more moments are looked through for the first of them. */
const lookedThrough = 1_500;
/** So far at least; those that name more moments until then are taken for good. */
const leastMs = 4 * 365 * 86_400_000;
const calendarStart = Date.UTC(2024, 0, 1) - 1_000;

export function scheduleFaults(schedule: Schedule): readonly ScheduleFault[] {
  const zone = timeZoneFault(schedule.timeZone);
  return [
    ...(zone === undefined ? [] : [{ path: 'timeZone', message: zone }]),
    ...schedule.windows.flatMap((window, index) => windowFaults(window, `windows[${index}]`)),
    ...(schedule.exceptions ?? []).flatMap((exception, index) => {
      const message = exceptionFault(exception);
      return message === undefined ? [] : [{ path: `exceptions[${index}]`, message }];
    }),
  ];
}

function windowFaults(window: TimeWindow, path: string): readonly ScheduleFault[] {
  const [open, close] = [readCron(window.open), readCron(window.close)];
  if (open.kind === 'fault' || close.kind === 'fault') {
    return [
      ...(open.kind === 'fault' ? [{ path: `${path}.open`, message: open.message }] : []),
      ...(close.kind === 'fault' ? [{ path: `${path}.close`, message: close.message }] : []),
    ];
  }
  const message = emptyWindow(window, open.times, close.times);
  return message === undefined ? [] : [{ path, message }];
}

/** Why a window never opens, or never closes. */
function emptyWindow(window: TimeWindow, open: CronTimes, close: CronTimes): string | undefined {
  const named = `the window ${JSON.stringify(window.name)}`;
  if (open.after(calendarStart) === undefined) {
    return `${named} never opens: no day is named by ${JSON.stringify(window.open)}`;
  }
  if (close.after(calendarStart) === undefined) {
    return `${named} never closes: no day is named by ${JSON.stringify(window.close)}`;
  }
  return window.open === window.close || closesWhenever(open, close)
    ? `${named} never opens: whenever ${JSON.stringify(window.open)} opens it, ${JSON.stringify(window.close)} closes it in the same minute`
    : undefined;
}

/** Whether each moment that opens the window closes it as well. */
function closesWhenever(open: CronTimes, close: CronTimes): boolean {
  let at = open.after(calendarStart);
  for (let seen = 0; at !== undefined && at < calendarStart + horizonMs; seen++) {
    if (seen === lookedThrough) return at >= calendarStart + leastMs;
    if (!close.names(at)) return false;
    at = open.after(at);
  }
  return true;
}
