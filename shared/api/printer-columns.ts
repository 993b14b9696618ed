/** Columns that several kinds print in `kubectl get`. */
import type { PrinterColumn } from './kind-definition.ts';

export const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  says: 'Time since creation',
};

/** Columns of status fields with the same name, for `-o wide`. */
export function wideColumns(
  columns: readonly (readonly [name: string, type: PrinterColumn['type'], says: string])[],
): readonly PrinterColumn[] {
  return columns.map(([name, type, says]) => ({
    name,
    type,
    says,
    jsonPath: `.status.${name.toLowerCase()}`,
    wide: true,
  }));
}
