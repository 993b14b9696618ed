/** Objects as lines of a table. Pure. */
import type { ObjectMeta } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { Piece } from '../terminal/line.ts';
import { styleOf } from './words.ts';

/** A line of the table. */
export interface Listed {
  readonly metadata: Pick<ObjectMeta, 'namespace' | 'creationTimestamp'>;
  /** `jobflow/hello`. */
  readonly called: string;
  readonly state: string;
  /** How far it is, or what it is part of. */
  readonly detail: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

interface ListOptions {
  /** The title of the details. */
  readonly detail: 'PROGRESS' | 'PART';
  readonly withNamespace: boolean;
  readonly wide: boolean;
}

/** The first line has the titles; nothing for an empty list. */
export function tableOf(
  all: readonly Listed[],
  { detail, withNamespace, wide }: ListOptions,
  nowMs: number,
): readonly (readonly Piece[])[] {
  if (all.length === 0) return [];
  const reasons = wide ? ['REASON', 'MESSAGE'] : [];
  const rows = all.map(({ metadata, called, state, reason = '', message = '', ...each }) => [
    ...(withNamespace ? [metadata.namespace ?? ''] : []),
    ...[called, state, each.detail],
    ageText(nowMs - (parseTime(metadata.creationTimestamp) ?? nowMs)),
    ...(wide ? [reason, message] : []),
  ]);
  const titles = ['NAME', 'STATUS', detail, 'AGE', ...reasons];
  const table = [withNamespace ? ['NAMESPACE', ...titles] : titles, ...rows];
  const widths = titlesOf(table).map((_, column) =>
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

function titlesOf([titles = []]: readonly (readonly string[])[]): readonly string[] {
  return titles;
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
