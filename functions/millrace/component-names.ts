import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

/** The components of an AppWrapper as users name them, such as `Job/train`, in their order. */
export function componentNames({ spec, status }: KubeObject): readonly string[] {
  const recorded = listOf(fieldsOf(status)['componentStatus']).map(fieldsOf);
  return listOf(fieldsOf(spec)['components']).map((component, index) => {
    const { kind, metadata } = fieldsOf(fieldsOf(component)['template']);
    // A generated name is only in the record.
    const name = textOf(recorded[index]?.['name']) || textOf(fieldsOf(metadata)['name']);
    return name === '' ? textOf(kind) : `${textOf(kind)}/${name}`;
  });
}
