/** metav1.Time: RFC 3339 in UTC, whole seconds. */
export const rfc3339 = bySecond((time) => `${time.toISOString().slice(0, 19)}Z`);

/** metav1.MicroTime, as Lease and events.k8s.io/v1 use it. */
export function rfc3339Micro(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** Milliseconds since the epoch. Undefined: the text is absent or not a date. */
export function parseTime(text: string | undefined | null): number | undefined {
  if (text === undefined || text === null) return undefined;
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return undefined;
  if (parsed.size >= mostParsed) parsed.clear();
  parsed.set(text, ms);
  return ms;
}

/** Midnight in UTC of a date such as 2026-12-24. Undefined: it is no date, or no month has that day. */
export function parseDate(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const ms = parseTime(`${text}T00:00:00Z`);
  // The runtime turns February 30 into March 2.
  return ms !== undefined && new Date(ms).toISOString().startsWith(text) ? ms : undefined;
}

/** Each decision parses the times of current objects again. */
const parsed = new Map<string, number>();
const mostParsed = 1_000;

// Date.parse alone accepts almost any text with a digit.
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/;

/** IMF-fixdate of RFC 9110 section 5.6.7, whole seconds. */
export const httpDateOf = bySecond((time) => time.toUTCString());

/** Milliseconds since the epoch. Undefined: the text is absent or not an IMF-fixdate. */
export function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === latestHttpDate.text) return latestHttpDate.ms;
  if (!httpDate.test(text)) return undefined;
  latestHttpDate = { text, ms: parseTime(text) };
  return latestHttpDate.ms;
}

/** All answers within one second have the same text. */
let latestHttpDate: { readonly text: string; readonly ms: number | undefined } = {
  text: '',
  ms: undefined,
};

/** Most calls ask for the current second. */
function bySecond(format: (time: Date) => string): (ms: number) => string {
  let latest = { second: NaN, text: '' };
  return (ms) => {
    const second = Math.floor(ms / 1_000);
    if (second !== latest.second) latest = { second, text: format(new Date(ms)) };
    return latest.text;
  };
}
