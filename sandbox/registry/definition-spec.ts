/**
 * The spec of a CustomResourceDefinition (apiextensions.k8s.io/v1), as far as the sandbox reads it.
 */
import type { Schema } from '../schema/schema.ts';
import type { ScalePaths } from './resource-type.ts';

export interface DefinitionNames {
  readonly plural?: string;
  readonly singular?: string;
  readonly kind?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
  readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly DefinitionColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface DefinitionColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

export interface DefinitionSpec {
  readonly group?: string;
  readonly scope?: string;
  readonly names?: DefinitionNames;
  readonly versions?: readonly DefinitionVersion[];
  readonly conversion?: { readonly strategy?: string };
}
