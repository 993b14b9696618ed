import type { TSchema } from 'typebox';
import type { Resource } from '#shared/domain/objects.ts';
import type { CelRule } from './field.ts';
import type { ToldStates } from './told-states.ts';

/** A column of `kubectl get`, beside NAME, in the order given. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly says: string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
}

/** One of our kinds; the CRD, the validator and the reference page are derived from it. */
export interface KindDefinition {
  readonly resource: Resource;
  readonly shortNames: readonly string[];
  /** What the kind is for, in one sentence. */
  readonly says: string;
  readonly spec: TSchema;
  /** What the name of an object may be, where it is narrower than Kubernetes' own rule. */
  readonly name?: { readonly maxLength: number; readonly pattern: string };
  /** With it the kind has a status subresource. */
  readonly status?: TSchema;
  /** Of which others are told when they change. Absent: nobody is. */
  readonly told?: ToldStates;
  /** Rules on the whole object; they see `metadata.name`. */
  readonly rules: readonly CelRule[];
  /** JSON paths that `kubectl get --field-selector` may use. */
  readonly selectableFields: readonly string[];
  readonly columns: readonly PrinterColumn[];
}
