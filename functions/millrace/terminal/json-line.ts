/** What a terminal would obey instead of showing it; see printable.ts. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The value as one line of JSON that a terminal shows as it is and that parses to the same value. */
export function jsonLine(value: unknown): string {
  return escaped(JSON.stringify(value));
}

/** The same on as many lines as kubectl prints. */
export function jsonLines(value: unknown): readonly string[] {
  return JSON.stringify(value, null, 4).split('\n').map(escaped);
}

function escaped(json: string): string {
  return json.replace(unprintable, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
