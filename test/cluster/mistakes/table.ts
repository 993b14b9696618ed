/** The table of the documentation in `docs/mistakes.md`. */
import type { Mistake } from './mistake.ts';

const head = ['mistake', 'where', 'message'];

/** Aligned as the repository's formatter aligns tables. */
export function renderTable(mistakes: readonly Mistake[]): string {
  const rows = mistakes.map(({ mistake, where, says }) => [mistake, where, `\`${says.trim()}\``]);
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(first), rule, ...others.map(line)].join('\n');
}
