/** Objects as lines of a table. Pure. */
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import { shortNameOf } from '../full-name.ts';
import { ageText } from '../terminal/age-text.ts';
import type { Piece } from '../terminal/line.ts';
import { styleOf } from './words.ts';

/** An object and the content of its line. */
export interface Listed {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly state: string;
  /** Its progress, or the part that it belongs to. */
  readonly detail: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export interface Columns {
  /** The title of the column `detail`. */
  readonly detail: 'PROGRESS' | 'PART';
  readonly withNamespace: boolean;
  readonly wide: boolean;
}

/** Formats lines, all at once or one after the other. Columns only become wider. */
export class Table {
  readonly #columns: Columns;
  #widths: readonly number[] = [];

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** The titles come before the very first line. Empty for an empty list. */
  linesOf(all: readonly Listed[], nowMs: number): readonly (readonly Piece[])[] {
    if (all.length === 0) return [];
    const { detail, withNamespace, wide } = this.#columns;
    const rows = all.map((each) => this.#rowOf(each, nowMs));
    const isFirst = this.#widths.length === 0;
    const reasons = wide ? ['REASON', 'MESSAGE'] : [];
    const titles = ['NAME', 'STATUS', detail, 'AGE', ...reasons];
    const titleRow = withNamespace ? ['NAMESPACE', ...titles] : titles;
    const table = isFirst ? [titleRow, ...rows] : rows;
    this.#widths = titleRow.map((_, column) =>
      Math.max(this.#widths[column] ?? 0, ...table.map((row) => (row[column] ?? '').length)),
    );
    const stateColumn = withNamespace ? 2 : 1;
    return table.map((row) =>
      row.map((cell, column): Piece => {
        const isLast = column === row.length - 1;
        const text = isLast ? cell : `${cell.padEnd(this.#widths[column] ?? 0)}   `;
        return row !== titleRow && column === stateColumn ? [text, styleOf(cell)] : text;
      }),
    );
  }

  #rowOf(each: Listed, nowMs: number): readonly string[] {
    const { resource, object, state, detail, reason = '', message = '' } = each;
    const { namespace = '', creationTimestamp } = object.metadata;
    return [
      ...(this.#columns.withNamespace ? [namespace] : []),
      ...[shortNameOf(resource, object), state, detail],
      ageText(nowMs - (parseTime(creationTimestamp) ?? nowMs)),
      ...(this.#columns.wide ? [reason, message] : []),
    ];
  }
}
