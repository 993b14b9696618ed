/** A preview as text. */
import type { Preview, PreviewLine } from './preview.ts';

/** Lines without line ends. */
export function previewText(preview: Preview): readonly string[] {
  const rows = preview.lines.map((line) => [
    `${line.weekday} ${clockText(line.local)}`,
    line.utc,
    line.state,
    remarkOf(line),
  ]);
  return [
    `${preview.policy} in ${preview.timeZone}`,
    '',
    ...table([[preview.timeZone, 'UTC', 'WORK', 'BECAUSE OF'], ...rows]),
    ...preview.clockChanges.map(
      ({ weekday, localBefore, localAfter }) =>
        `* ${weekday} ${localBefore.slice(0, 10)}: the clocks go from ${clockText(localBefore)} to ${clockText(localAfter)}`,
    ),
  ];
}

/** `2026-03-29 03:00 +02:00`. */
function clockText(local: string): string {
  return `${local.slice(0, 10)} ${local.slice(11, 16)} ${local.slice(19)}`;
}

function remarkOf({ because, state, isClockChangeDay }: PreviewLine): string {
  const why = because.length > 0 ? because.join(', ') : state === 'Open' ? '' : 'no window';
  return `${why}${isClockChangeDay ? ' *' : ''}`.trim();
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
