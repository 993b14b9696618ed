/** Durations as Go writes them: `10s`, `1h30m`, `500ms`. */

const unitMs: ReadonlyMap<string | undefined, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const part = /^(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/;
/** Limit for the text, characters. Go's own output has at most half of it. */
const longest = 64;

/** Milliseconds. Undefined: Go's time.ParseDuration refuses the text. */
export function goDurationMs(text: string): number | undefined {
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned === '0') return 0;
  if (unsigned === '' || unsigned.length > longest) return undefined;
  let ms = 0;
  for (let rest = unsigned; rest !== '';) {
    const [whole, amount, unit] = part.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    ms += Number(amount) * (unitMs.get(unit) ?? 0);
    rest = rest.slice(whole.length);
  }
  return text.startsWith('-') ? -ms : ms;
}
