/** The verdict on a specimen: its causes, or the stored spec. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import type { CompiledSchema } from '../compiled-schema.ts';

export interface SpecimenAnswer {
  /** Sorted, because the API server iterates over maps in random order. */
  readonly causes?: readonly string[];
  readonly spec?: unknown;
}

export function specimen(spec: JsonObject, name = 'example'): JsonObject {
  return { apiVersion: 'sandbox.millrace.dev/v1', kind: 'Specimen', metadata: { name }, spec };
}

/** The answer to a create. */
export function answerOf(schema: CompiledSchema, object: JsonObject): SpecimenAnswer {
  const { object: stored } = schema.prune(schema.applyDefaults(object));
  const causes = schema.validate(stored);
  return causes.length > 0 ? { causes: causeTexts(causes) } : { spec: stored['spec'] };
}

export function causeTexts(causes: readonly StatusCause[]): readonly string[] {
  return causes.map(({ reason, field, message }) => `${reason} ${field ?? ''}: ${message}`).sort();
}
