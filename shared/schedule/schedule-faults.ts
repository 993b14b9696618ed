/** Faults of a schedule, in words for its author. */
import { everyDay } from './calendar.ts';
import { type CronExpression, readCron } from './cron-expression.ts';
import { exceptionFault } from './exception-times.ts';
import type { Schedule, TimeWindow } from './schedule.ts';
import { timeZoneFault } from './time-zone.ts';

export interface ScheduleFault {
  /** Relative to the schedule, for example `windows[0].open`. */
  readonly path: string;
  readonly message: string;
}

export function scheduleFaults(schedule: Schedule): readonly ScheduleFault[] {
  const zone = timeZoneFault(schedule.timeZone);
  return [
    ...(zone === undefined ? [] : [{ path: 'timeZone', message: zone }]),
    ...(schedule.windows ?? []).flatMap((window, index) =>
      windowFaults(window, `windows[${index}]`),
    ),
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
  const message = emptyWindow(window, open.expression, close.expression);
  return message === undefined ? [] : [{ path, message }];
}

/** Why a window never opens, or never closes. */
function emptyWindow(
  window: TimeWindow,
  open: CronExpression,
  close: CronExpression,
): string | undefined {
  const named = `the window ${JSON.stringify(window.name)}`;
  if (!everyDay.some((day) => open.namesDay(day))) {
    return `${named} never opens: no day is named by ${JSON.stringify(window.open)}; write a day that exists`;
  }
  if (!everyDay.some((day) => close.namesDay(day))) {
    return `${named} never closes: no day is named by ${JSON.stringify(window.close)}; write a day that exists`;
  }
  return closesWhenever(open, close)
    ? `${named} never opens: whenever ${JSON.stringify(window.open)} opens it, ${JSON.stringify(window.close)} closes it in the same minute; write another time for one of them`
    : undefined;
}

/** Whether each moment that opens the window also closes it. */
function closesWhenever(open: CronExpression, close: CronExpression): boolean {
  const closing = new Set(close.minutes);
  return (
    open.minutes.every((minute) => closing.has(minute)) &&
    everyDay.every((day) => !open.namesDay(day) || close.namesDay(day))
  );
}
