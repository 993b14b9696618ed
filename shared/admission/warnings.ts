/**
 * Bounds of `Warning` headers, in characters (apiserver/pkg/endpoints/filters/warning.go). Beyond the
 * total, the API server cuts all warnings to the length of one item and drops the excess.
 */
export const maxWarningsLength = 4_096;
export const maxWarningLength = 256;

const cutMark = '...';

/**
 * The warnings as the API server will pass them on: no control characters (which would drop a
 * warning), no duplicates, none empty, none too long. The last one says how many are left out.
 */
export function boundedWarnings(warnings: readonly string[]): readonly string[] {
  const texts = [...new Set(warnings.map(shortened))].filter((text) => text !== '');
  const kept: string[] = [];
  let room = maxWarningsLength;
  for (const [index, text] of texts.entries()) {
    const rest = leftOut(texts.length - index);
    const isLast = index === texts.length - 1;
    const needed = lengthOf(text) + (isLast ? 0 : rest.length);
    if (needed > room) return [...kept, rest];
    room -= lengthOf(text);
    kept.push(text);
  }
  return kept;
}

function shortened(warning: string): string {
  // Well-formed and without line ends: other texts are dropped silently on the way.
  const text = warning
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  const characters = Array.from(text);
  if (characters.length <= maxWarningLength) return text;
  return `${characters.slice(0, maxWarningLength - cutMark.length).join('')}${cutMark}`;
}

function leftOut(count: number): string {
  return `and ${count} more warnings`;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
