/** Dates, times and durations as kube-openapi's strfmt and Go's time package read them. */

const fullDate = /^(\d{4})-(\d{2})-(\d{2})$/;

/** `2006-01-02`, if the day exists. */
export function isDate(text: string): boolean {
  return dateToMs(text) !== undefined;
}

/** Midnight UTC of a date, in milliseconds since the epoch. */
export function dateToMs(text: string): number | undefined {
  const [, year = '', month = '', day = ''] = fullDate.exec(text) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  return new Date(ms).getUTCDate() === Number(day) ? ms : undefined;
}

/** The format `date-time`. It is laxer than RFC 3339 about letters, and any character may precede the fraction. */
export function isDateTime(text: string): boolean {
  const [date = '', time, ...rest] = text.toLowerCase().split('t');
  if (time === undefined || rest.length > 0 || !isDate(date)) return false;
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(
    time,
  );
  const [, hours = '', minutes = '', seconds = ''] = parts ?? [];
  return parts !== null && hours <= '23' && minutes <= '59' && seconds <= '59';
}

const goUnits: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const largest = 2n ** 63n;

/** time.ParseDuration in nanoseconds: `1h15m30.5s`. Undefined for any other text. */
export function parseGoDuration(text: string): bigint | undefined {
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === '0') return 0n;
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of body.matchAll(
    /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/gy,
  )) {
    const scale = goUnits[unit] ?? 0n;
    total += BigInt(whole === '' ? '0' : whole) * scale;
    if (fraction !== '') total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  const value = sign === '-' ? -total : total;
  return value >= -largest && value < largest ? value : undefined;
}

const looseUnits: readonly (readonly [names: readonly string[], nanoseconds: bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', 'µs', 'micro'], 1_000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec'], 1_000_000_000n],
  [['m', 'min'], 60_000_000_000n],
  [['h', 'hr', 'hour'], 3_600_000_000_000n],
  [['d', 'day'], 86_400_000_000_000n],
  [['w', 'wk', 'week'], 604_800_000_000_000n],
];

/** The format `duration` in nanoseconds: Go's, or in words as `2 days`. */
export function parseFormatDuration(text: string): bigint | undefined {
  const exact = parseGoDuration(text);
  if (exact !== undefined) return exact;
  let total: bigint | undefined;
  for (const [, count = '', word = ''] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    const scale = looseUnit(word.toLowerCase());
    if (scale !== undefined) total = (total ?? 0n) + BigInt(count) * scale;
  }
  return total;
}

export function isFormatDuration(text: string): boolean {
  return parseFormatDuration(text) !== undefined;
}

/** The last name of each unit may have an ending: `days`, `minutes`. */
function looseUnit(word: string): bigint | undefined {
  return looseUnits.find(
    ([names]) => names.includes(word) || word.startsWith(names.at(-1) ?? word),
  )?.[1];
}
