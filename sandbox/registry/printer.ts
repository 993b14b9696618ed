/** The columns of a kind and the cells of one object (pkg/printers/internalversion/printers.go). */
import type { KubeObject } from '#shared/domain/objects.ts';
import { age } from './human-duration.ts';
import type { PrinterColumn, Row } from './resource-type.ts';

export interface Printer {
  readonly columns: readonly PrinterColumn[];
  readonly row: Row;
}

export const none = '<none>';

/** A column that is always shown. A leading `=` makes it a column of `-o wide`. */
export function columns(...names: readonly string[]): readonly PrinterColumn[] {
  return names.map((name) => {
    const isWide = name.startsWith('=');
    const title = isWide ? name.slice(1) : name;
    return {
      name: title,
      type: 'string',
      ...(title === 'Name' ? { format: 'name' } : {}),
      priority: isWide ? 1 : 0,
    };
  });
}

export function createdAgo({ metadata }: KubeObject, nowMs: number): string {
  return age(metadata.creationTimestamp, nowMs);
}

/** The printer of kinds without columns of their own. */
export const defaultPrinter: Printer = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', priority: 0 },
    { name: 'Created At', type: 'date', priority: 0 },
  ],
  row: ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? null],
};

/** `a=b,c=d`, sorted; `<none>` when there are none. */
export function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? none : pairs.sort().join(',');
}
