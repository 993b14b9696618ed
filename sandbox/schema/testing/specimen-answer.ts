/** What becomes of a specimen: its causes, or the spec that is stored. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import type { CompiledSchema } from '../compiled-schema.ts';

export interface SpecimenAnswer {
  /** Sorted, since the API server walks maps in any order. */
  readonly causes?: readonly string[];
  readonly spec?: unknown;
}

export function specimen(spec: JsonObject, name = 'example'): JsonObject {
  return { apiVersion: 'sandbox.millrace.dev/v1', kind: 'Specimen', metadata: { name }, spec };
}

/** Of a creation. */
export function answerOf(schema: CompiledSchema, object: JsonObject): SpecimenAnswer {
  const { object: stored } = schema.prune(schema.applyDefaults(object));
  const causes = schema.validate(stored);
  return causes.length > 0 ? { causes: causeTexts(causes) } : { spec: stored['spec'] };
}

export function causeTexts(causes: readonly StatusCause[]): readonly string[] {
  return causes.map(({ reason, field, message }) => `${reason} ${field ?? ''}: ${message}`).sort();
}
