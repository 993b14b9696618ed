/** The world of every verb: objects, types, and the sources of time and randomness. */
import type { Clock, Random } from '#shared/domain/clock.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { Permits } from './access.ts';
import { compileSchema, type CompiledSchema } from '../schema/compiled-schema.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import type { TypeRegistry } from '../registry/type-registry.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { Schema } from '../schema/schema.ts';

export interface World {
  /** Whether writes keep managedFields. A simulation can do without. */
  readonly tracksFieldOwners: boolean;
  readonly store: ObjectStore;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly permits: Permits;
}

/** metav1.Time of this moment. */
export function timeOf({ clock }: Pick<World, 'clock'>): string {
  return rfc3339(clock.now());
}

/**
 * A version 4 UUID (RFC 9562) from the injected source. Joined, because V8 keeps a text made with
 * `+` as a tree of its parts, and every object keeps several uids.
 */
export function newUid({ random }: Pick<World, 'random'>): string {
  const word = (): number => Math.floor(random() * 0x1_0000_0000);
  const [first, second, third, fourth] = [word(), word(), word(), word()];
  return [
    hex(first, 8),
    hex(second >>> 16, 4),
    hex((second & 0x0fff) | 0x4000, 4),
    hex(((third >>> 16) & 0x3fff) | 0x8000, 4),
    hex(third & 0xffff, 4) + hex(fourth, 8),
  ].join('-');
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/** No vowels and no look-alikes (apimachinery util/rand). */
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const longestGeneratedPrefix = 63 - suffixLength;

export function generatedName(prefix: string, { random }: Pick<World, 'random'>): string {
  let name = prefix.slice(0, longestGeneratedPrefix);
  for (let place = 0; place < suffixLength; place += 1) {
    name += suffixAlphabet[Math.floor(random() * suffixAlphabet.length)] ?? '';
  }
  return name;
}

const compiled = new WeakMap<Schema, CompiledSchema>();

/** The compiled schema of a type, made once per schema. Undefined for a type without a schema. */
export function schemaOf({ schema }: Pick<ResourceType, 'schema'>): CompiledSchema | undefined {
  if (schema === undefined) return undefined;
  let known = compiled.get(schema);
  if (known === undefined) {
    known = compileSchema(schema);
    compiled.set(schema, known);
  }
  return known;
}

export function hasStatus(type: Pick<ResourceType, 'subresources'>): boolean {
  return type.subresources.includes('status');
}
