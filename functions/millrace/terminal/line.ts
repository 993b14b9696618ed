import { styleText } from 'node:util';
import { printable } from '#shared/domain/printable.ts';
import type { Appearance } from './appearance.ts';

export type Style =
  'plain' | 'dim' | 'bold' | 'green' | 'red' | 'yellow' | 'cyan' | 'magenta' | 'blue';

/** A piece of a line, plain without a style. */
export type Piece = string | readonly [text: string, style: Style];

/** One line of output, cut to `columns` if it must not wrap. */
export function renderLine(
  pieces: readonly Piece[],
  { colour, utf8 }: Pick<Appearance, 'colour' | 'utf8'>,
  columns = Number.POSITIVE_INFINITY,
): string {
  let room = columns;
  const cut = pieces.map((piece): readonly [string, Style] => {
    const [text, style] = typeof piece === 'string' ? ([piece, 'plain'] as const) : piece;
    const fitting = fit(printable(text), room, utf8 ? '…' : '~');
    room -= fitting.length;
    return [fitting, style];
  });
  return cut
    .map(([text, style]) => (colour ? painted(text, style) : text))
    .join('')
    .trimEnd();
}

/**
 * Wraps a line at spaces to `columns`, with the later lines indented. A word that is longer than a line stays whole:
 * it may be an address or a command to copy.
 */
export function wrapLine(
  pieces: readonly Piece[],
  columns: number,
  indent = '    ',
): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]];
  let used = 0;
  for (const [word, style] of pieces.flatMap(wordsOf)) {
    if (used > 0 && used + word.trimEnd().length > columns) {
      lines.push([indent]);
      used = indent.length;
    }
    lines.at(-1)?.push([word, style]);
    used += word.length;
  }
  return lines;
}

/** Words with the spaces after them. */
function wordsOf(piece: Piece): readonly (readonly [string, Style])[] {
  const [text, style] = typeof piece === 'string' ? ([piece, 'plain'] as const) : piece;
  return (text.match(/\s+|\S+\s*/g) ?? []).map((word) => [word, style]);
}

function fit(text: string, room: number, ellipsis: string): string {
  if (text.length <= room) return text;
  return room < 1 ? '' : text.slice(0, room - 1) + ellipsis;
}

function painted(text: string, style: Style): string {
  if (style === 'plain' || text === '') return text;
  return styleText(style, text, { validateStream: false });
}
