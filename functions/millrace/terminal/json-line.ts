/** Characters that a terminal would execute instead of showing (see printable.ts). */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The value as one line of JSON that is safe for a terminal and parses to the same value. */
export function jsonLine(value: unknown): string {
  return escaped(JSON.stringify(value));
}

/** The same on several lines, in kubectl's layout. */
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
