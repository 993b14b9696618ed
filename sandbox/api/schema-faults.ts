/** Faults that the schema of a custom resource reports. Built-in kinds have their own rules. */
import type { ResourceType } from '../registry/resource-type.ts';
import { invalid } from '../apimachinery/cause.ts';
import { asJson, type Draft } from './draft.ts';
import type { StatusCause } from '../apimachinery/status-error.ts';
import { schemaOf } from './world.ts';

/** `old` absent: a create. `part` `status`: a write to the status subresource. */
export function schemaFaults(
  type: ResourceType,
  object: Draft,
  old: Draft | undefined,
  part?: 'status',
): readonly StatusCause[] {
  if (type.isBuiltIn) return [];
  if (old !== undefined && isUnchanged(object, old)) return [];
  const kind =
    object.kind === type.kind ? [] : [invalid('kind', object.kind, `must be ${type.kind}`)];
  const found = schemaOf(type)?.validate(asJson(object), old && asJson(old), part) ?? [];
  return kind.length === 0 ? found : [...kind, ...found];
}

/** If only metadata changed, neither rules nor values can have become invalid. */
export function isUnchanged(object: Draft, old: Draft): boolean {
  for (const key in object) {
    if (key !== 'metadata' && object[key] !== old[key]) return false;
  }
  return Object.keys(object).length === Object.keys(old).length;
}
