/**
 * Bounds of `Warning` headers, in characters (apiserver/pkg/endpoints/filters/warning.go): beyond the
 * total the API server cuts the warnings of everybody to the length of an item and drops what is over.
 */
export const maxWarningsLength = 4_096;
export const maxWarningLength = 256;

const cutMark = '...';

/**
 * The warnings as the API server will hand them on: without control characters, for which it drops a
 * warning; each once; none that is empty; no longer than it permits. The last one tells how many are
 * left out.
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
  // Well-formed and without line ends: anything else is dropped on the way without a word.
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
