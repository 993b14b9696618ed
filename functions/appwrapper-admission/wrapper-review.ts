/** An AppWrapper in a review. Mutating reviews come before the API server has validated its shape. */
import type { ReviewedResource } from '#shared/admission/admission.ts';
import type { AppWrapper, Component } from '#shared/api/app-wrapper.ts';
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';

const { group, version, plural } = resources.AppWrapper;

export const reviewedWrappers: readonly ReviewedResource[] = [
  { resource: { group, version, plural }, operations: ['CREATE', 'UPDATE'] },
];

export function asWrapper(object: JsonObject | undefined): AppWrapper {
  return (object ?? {}) as unknown as AppWrapper;
}

/** `template` is a map with apiVersion and kind. */
export function componentsOf(object: JsonObject | undefined): readonly Component[] {
  const spec = object?.['spec'];
  const components = isObject(spec) ? spec['components'] : undefined;
  return isList(components) ? (components as unknown as readonly Component[]) : [];
}

/** CEL: all labels or annotations of `object`. */
export const mapOf = (object: string, field: 'labels' | 'annotations'): string =>
  `(has(${object}.metadata.${field}) ? ${object}.metadata.${field} : {})`;

/** CEL: Kueue has placed some Pods of `object`. */
export const isPlaced = (object: string): string =>
  `(has(${object}.spec) && has(${object}.spec.components) && ${object}.spec.components.exists(each, has(each.podSetInfos)))`;
