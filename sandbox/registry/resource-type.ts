/**
 * One kind in one version as the sandbox serves it, built-in or from a CustomResourceDefinition.
 */
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import type { Schema } from '../schema/schema.ts';

export interface PrinterColumn {
  /** Column name as kubectl prints it. Case does not matter, because kubectl prints capitals. */
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, and more only with `-o wide`. */
  readonly priority: number;
}

/** The row of one object, one cell per column. The first column is the name. */
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
  /**
   * Schema of the whole object without `metadata`. Absent: everything is kept and nothing is
   * checked.
   */
  readonly schema?: Schema;
  readonly columns: readonly PrinterColumn[];
  readonly row: Row;
  /**
   * Paths for field selectors, such as `spec.nodeName`, besides metadata.name and
   * metadata.namespace.
   */
  readonly selectableFields: readonly string[];
  /** The paths of the scale subresource's numbers in a custom resource. */
  readonly scale?: ScalePaths;
  /** Whether `metadata.generation` counts changes of the spec. */
  readonly hasGeneration: boolean;
  /** A built-in kind, with strategic merge patch. False for custom resources. */
  readonly isBuiltIn: boolean;
}

/** `group/plural`, unique among the types. */
export function typeKey({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return `${group}/${plural}`;
}
