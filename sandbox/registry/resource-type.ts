/** One kind in one version as the sandbox serves it, built in or from a CustomResourceDefinition. */
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import type { Schema } from '../schema/schema.ts';

export interface PrinterColumn {
  /** As kubectl prints it, in any case; kubectl shows capitals. */
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, more than 0 only with `-o wide`. */
  readonly priority: number;
}

/** What is shown for one object, one cell per column; the first column is the name. */
export type Row = (
  object: KubeObject,
  nowMs: number,
) => readonly (string | number | boolean | null)[];

/** JSONPaths, as `.spec.replicas` (apiextensions.k8s.io/v1 CustomResourceSubresourceScale). */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface ResourceType extends Resource {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly ('status' | 'scale' | 'log' | 'binding' | 'eviction')[];
  /** Of the whole object, `metadata` left out. Absent: everything is kept and nothing is checked. */
  readonly schema?: Schema;
  readonly columns: readonly PrinterColumn[];
  readonly row: Row;
  /** Paths for field selectors beside metadata.name and metadata.namespace, as `spec.nodeName`. */
  readonly selectableFields: readonly string[];
  /** Where a custom resource with the scale subresource keeps its numbers. */
  readonly scale?: ScalePaths;
  /** Whether `metadata.generation` counts changes of the spec. */
  readonly hasGeneration: boolean;
  /** A kind of the API server's own, with strategic merge patch; false for custom resources. */
  readonly isBuiltIn: boolean;
}

/** `group/plural`, unique among the types. */
export function typeKey({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return `${group}/${plural}`;
}
