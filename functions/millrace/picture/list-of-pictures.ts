/** Objects as lines of a table, with the words that their trees have. Pure. */
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { Piece } from '../terminal/line.ts';
import type { FlowPicture } from './flow-picture.ts';
import { progressOf, styleOf } from './words.ts';

interface Listed {
  readonly kind: { readonly resource: Resource };
  readonly object: KubeObject;
  readonly picture: FlowPicture;
}

/** The first line has the titles; nothing for an empty list. */
export function listOfPictures(
  all: readonly Listed[],
  withNamespace: boolean,
  output: 'tree' | 'wide',
  nowMs: number,
): readonly (readonly Piece[])[] {
  if (all.length === 0) return [];
  const titles = [
    'NAME',
    'STATUS',
    'PROGRESS',
    'AGE',
    ...(output === 'wide' ? ['REASON', 'MESSAGE'] : []),
  ];
  const rows = all.map(({ kind, object: { metadata }, picture }) => [
    ...(withNamespace ? [metadata.namespace ?? ''] : []),
    `${kind.resource.kind.toLowerCase()}/${metadata.name}`,
    picture.state,
    progressOf(picture).replaceAll(' of ', '/'),
    ageText(nowMs - (parseTime(metadata.creationTimestamp) ?? nowMs)),
    ...(output === 'wide' ? [picture.reason ?? '', picture.message ?? ''] : []),
  ]);
  const table = [[...(withNamespace ? ['NAMESPACE'] : []), ...titles], ...rows];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? '').length)),
  );
  const stateColumn = withNamespace ? 2 : 1;
  return table.map((row, line) =>
    row.map((cell, column): Piece => {
      const text = column === row.length - 1 ? cell : `${cell.padEnd(widths[column] ?? 0)}   `;
      return line > 0 && column === stateColumn ? [text, styleOf(cell)] : text;
    }),
  );
}

/** As kubectl shows an age: `8s`, `5m12s`, `3h4m`, `2d`. */
function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return `${minutes}m${rest(seconds % 60, 's')}`;
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return `${hours}h${rest(minutes % 60, 'm')}`;
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

function rest(value: number, unit: string): string {
  return value === 0 ? '' : `${value}${unit}`;
}
