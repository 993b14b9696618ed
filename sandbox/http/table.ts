/** metav1.Table, which kubectl prints unchanged. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { PrinterColumn } from '../registry/resource-type.ts';
import { partialObject, type Shaping } from './shaping.ts';

export function tableOf(
  objects: readonly KubeObject[],
  metadata: object,
  shaping: Shaping,
  hasColumns: boolean,
): object {
  const { type, accepted, includeObject, nowMs } = shaping;
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${accepted.version ?? 'v1'}`,
    metadata,
    columnDefinitions: hasColumns ? type.columns.map(columnOf) : null,
    rows: objects.map((object) => ({
      cells: type.row(object, nowMs),
      object: rowObject(object, includeObject, shaping),
    })),
  };
}

function columnOf({ name, type, format = '', description = '', priority }: PrinterColumn): object {
  return { name, type, format, description, priority };
}

function rowObject(
  object: KubeObject,
  includeObject: Shaping['includeObject'],
  { accepted }: Shaping,
): object | null {
  if (includeObject === 'None') return null;
  return includeObject === 'Object' ? object : partialObject(object, accepted);
}
