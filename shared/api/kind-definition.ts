import type { TSchema } from 'typebox';
import type { Resource } from '#shared/domain/objects.ts';
import type { CelRule } from './field.ts';
import type { PublishedStates } from './published-states.ts';

/** A column of `kubectl get`, after NAME, in the given order. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly says: string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
}

/** A kind of Millrace. The CRD, the validator and the reference page are derived from it. */
export interface KindDefinition {
  readonly resource: Resource;
  readonly shortNames: readonly string[];
  /** The purpose of the kind, in one sentence. */
  readonly says: string;
  readonly spec: TSchema;
  /** Limits on the names of objects that are narrower than Kubernetes' own. */
  readonly name?: { readonly maxLength: number; readonly pattern: string };
  /** Present: the kind has a status subresource. */
  readonly status?: TSchema;
  /** States whose changes are published. Absent: none. */
  readonly published?: PublishedStates;
  /** Rules on the whole object. They can read `metadata.name`. */
  readonly rules: readonly CelRule[];
  /** JSON paths that `kubectl get --field-selector` may use. */
  readonly selectableFields: readonly string[];
  readonly columns: readonly PrinterColumn[];
}
