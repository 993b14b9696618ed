/**
 * A cron expression as the minutes and days that it names. Nothing searches with it, so every expression costs
 * the same.
 *
 * Everything that a CronJob accepts is accepted (robfig/cron, parser.go, `ParseStandard`), except `@every`. 7 is
 * also Sunday.
 */

/** A day of the calendar. Month and date start at 1; Sunday is 0. */
export interface CalendarDay {
  readonly month: number;
  readonly date: number;
  readonly weekday: number;
}

export interface CronExpression {
  /** The minutes of a day that it names, in order. */
  readonly minutes: readonly number[];
  namesMonth(month: number): boolean;
  namesDay(day: CalendarDay): boolean;
}

export type CronReading =
  | { readonly kind: 'expression'; readonly expression: CronExpression }
  | { readonly kind: 'fault'; readonly message: string };

/** Five fields, or a macro such as `@daily`. */
export function readCron(text: string): CronReading {
  try {
    return { kind: 'expression', expression: expressionOf(fieldsOf(text)) };
  } catch (error) {
    if (!(error instanceof CronFault)) throw error;
    return {
      kind: 'fault',
      message: `${JSON.stringify(text)} is no cron expression: ${error.message}`,
    };
  }
}

class CronFault extends Error {}

const macros: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

type FiveTexts = readonly [string, string, string, string, string];

function fieldsOf(text: string): FiveTexts {
  const written = text.trim();
  if (/^(CRON_)?TZ=/.test(written)) {
    throw new CronFault('it names a time zone; that stands in schedule.timeZone');
  }
  if (written.startsWith('@every')) {
    throw new CronFault(
      '@every counts from a start that a window does not have; write times of the clock, such as */15 * * * *',
    );
  }
  const known = written.startsWith('@') ? macros.get(written.toLowerCase()) : written;
  if (known === undefined) {
    throw new CronFault(`${written} is not known; write one of ${[...macros.keys()].join(', ')}`);
  }
  const fields = known.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== 5) throw new CronFault(wordsOfFields(fields.length));
  return fields as unknown as FiveTexts;
}

function wordsOfFields(count: number): string {
  const five = 'a window has five (minute, hour, day of month, month, day of week)';
  const hint = count === 6 ? '; leave out the seconds' : ', for example 0 20 * * 1-5';
  return `it has ${count} ${count === 1 ? 'field' : 'fields'}, and ${five}${hint}`;
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names of the values, from the smallest. */
  readonly names?: readonly string[];
}

const months = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const weekdays = 'SUN MON TUE WED THU FRI SAT'.split(' ');

const minute: Field = { name: 'minute', least: 0, most: 59 };
const hour: Field = { name: 'hour', least: 0, most: 23 };
const dayOfMonth: Field = { name: 'day of month', least: 1, most: 31 };
const month: Field = { name: 'month', least: 1, most: 12, names: months };
const dayOfWeek: Field = { name: 'day of week', least: 0, most: 7, names: weekdays };

function expressionOf([minuteText, hourText, dateText, monthText, weekdayText]: FiveTexts) {
  const minutesOfHour = [...valuesOf(minuteText, minute)].sort((left, right) => left - right);
  const hours = [...valuesOf(hourText, hour)].sort((left, right) => left - right);
  const dates = valuesOf(dateText, dayOfMonth);
  const inMonths = valuesOf(monthText, month);
  const onWeekdays = new Set([...valuesOf(weekdayText, dayOfWeek)].map((value) => value % 7));
  const isEither = !isAny(dateText) && !isAny(weekdayText);
  return {
    minutes: hours.flatMap((value) => minutesOfHour.map((each) => value * 60 + each)),
    namesMonth: (value: number) => inMonths.has(value),
    namesDay: (day: CalendarDay) => {
      if (!inMonths.has(day.month)) return false;
      const [isDate, isWeekday] = [dates.has(day.date), onWeekdays.has(day.weekday)];
      // If both are restricted, either one is enough (robfig/cron, spec.go, dayMatches).
      return isEither ? isDate || isWeekday : isDate && isWeekday;
    },
  };
}

/** One of its parts is a plain star. */
function isAny(text: string): boolean {
  return text.split(',').some((part) => /^[*?](\/0*1)?$/.test(part));
}

function valuesOf(text: string, field: Field): ReadonlySet<number> {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const { from, to, step } = rangeOf(part, field);
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

function rangeOf(part: string, field: Field): Range {
  const [span = '', stepText, ...more] = part.split('/');
  if (more.length > 0) throw new CronFault(`${quotedIn(part, field)} has more than one step`);
  const step = stepText === undefined ? 1 : stepOf(stepText, part, field);
  if (span === '*' || span === '?') return { from: field.least, to: mostOf(field), step };
  const [fromText = '', toText, ...rest] = span.split('-');
  if (rest.length > 0) {
    throw new CronFault(`${quotedIn(part, field)} is no range; write ${exampleOf(field)}`);
  }
  const from = valueOf(fromText, part, field);
  // A single value with a step means all values from it on (robfig/cron, parser.go, getRange).
  const open = stepText === undefined ? from : mostOf(field);
  const to = toText === undefined ? open : valueOf(toText, part, field);
  if (from > to) {
    throw new CronFault(
      `${quotedIn(part, field)} goes backwards; write ${fromText}-${mostOf(field)},${field.least}-${toText ?? ''}`,
    );
  }
  return { from, to, step };
}

/** 7 is another name for Sunday, not an eighth day. */
function mostOf({ most, names }: Field): number {
  return names === weekdays ? 6 : most;
}

function stepOf(text: string, part: string, field: Field): number {
  const step = /^\d+$/.test(text) ? Number(text) : 0;
  if (step > 0) return step;
  throw new CronFault(`the step of ${quotedIn(part, field)} is no number from 1 on`);
}

function valueOf(text: string, part: string, field: Field): number {
  const { least, most, names = [] } = field;
  const named = names.indexOf(text.toUpperCase());
  const value = /^\d+$/.test(text) ? Number(text) : named < 0 ? undefined : named + least;
  if (value === undefined) {
    throw new CronFault(`${quotedIn(part, field)} is not understood; write ${exampleOf(field)}`);
  }
  if (value >= least && value <= most) return value;
  throw new CronFault(`the ${field.name} ${text} is not from ${least} to ${most}`);
}

function quotedIn(part: string, { name }: Field): string {
  return `${JSON.stringify(part)} in the ${name}`;
}

function exampleOf({ least, names }: Field): string {
  const [first, second] = names === undefined ? [least, least + 1] : [names[0], names[1]];
  return `*, ${least}, ${least}-${least + 4}, */2${names === undefined ? '' : ` or ${first},${second}`}`;
}
