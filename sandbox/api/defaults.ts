/** Defaults as the decoder sets them: by code for built-in kinds, by schema for custom resources. */
import type { ResourceType } from '../registry/resource-type.ts';
import { asJson, fromJson, type Draft } from './draft.ts';
import { isUnchanged } from './schema-faults.ts';
import { strategyOf } from './strategies.ts';
import { schemaOf } from './world.ts';

/**
 * Returns the same reference when nothing is missing. Parts that are the same as in `live` have
 * their defaults.
 */
export function withDefaults(type: ResourceType, object: Draft, live: Draft | undefined): Draft {
  if (type.isBuiltIn) return strategyOf(type).defaults?.(object) ?? object;
  if (live !== undefined && isUnchanged(object, live)) return object;
  const schema = schemaOf(type);
  return schema === undefined ? object : fromJson(schema.applyDefaults(asJson(object)));
}
