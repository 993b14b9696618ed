/** The podSets of a component: declared by its author, or inferred from its resource. */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { AppWrapperPodSet } from '../app-wrapper-pod-set.ts';
import type { Component } from '../app-wrapper.ts';
import { podTemplateAt, valueAt } from './template-path.ts';
import { type PodSetPlace, type WrappedKind, wrappedKinds } from './wrapped-kinds.ts';

export type Inferred =
  { readonly podSets: readonly AppWrapperPodSet[] } | { readonly fault: string };

/** The API counts Pods with an int32. */
const mostPods = 2 ** 31 - 1;

/** Undefined: Millrace does not know the kind. */
export function wrappedKindOf({ apiVersion, kind }: JsonObject): WrappedKind | undefined {
  return wrappedKinds.find((each) => each.kind === kind && each.apiVersion === apiVersion);
}

/** None for an unknown kind; a fault for a malformed resource of a known kind. */
export function inferPodSets(resource: JsonObject): Inferred {
  const podSets: AppWrapperPodSet[] = [];
  for (const place of wrappedKindOf(resource)?.podSets ?? []) {
    for (const part of partsAt(resource, place.part)) {
      const podSet = podSetAt(resource, part, place);
      if (podSet !== undefined && 'fault' in podSet) return podSet;
      if (podSet !== undefined) podSets.push(podSet);
    }
  }
  return { podSets };
}

/**
 * The podSets for Kueue and for the expected number of Pods, in a fixed order. Inferred topology is kept if an author
 * declares the same podSet without it.
 */
export function podSetsOf({
  template,
  podSets: declared = [],
}: Component): readonly AppWrapperPodSet[] {
  const inferred = inferPodSets(template);
  const known = 'podSets' in inferred ? inferred.podSets : [];
  if (declared.length === 0) return known;
  return declared.map((podSet) => {
    const annotations = known.find(({ path }) => path === podSet.path)?.annotations;
    if (annotations === undefined) return podSet;
    return { ...podSet, annotations: { ...annotations, ...podSet.annotations } };
  });
}

export function replicasOf({ replicas = 1 }: AppWrapperPodSet): number {
  return replicas;
}

/** Paths of the parts: one, or one for each entry of a list. */
function partsAt(resource: JsonObject, part: string): readonly string[] {
  if (!part.endsWith('[]')) return [part];
  const path = part.slice(0, -2);
  const found = valueAt(resource, path);
  const entries = 'value' in found && isList(found.value) ? found.value : [];
  return entries.map((_, index) => `${path}[${index}]`);
}

function podSetAt(
  resource: JsonObject,
  at: string,
  { template, onlyWith, count, annotations }: PodSetPlace,
): AppWrapperPodSet | { readonly fault: string } | undefined {
  if (onlyWith !== undefined && !isThere(resource, `${at}.${onlyWith}`)) return undefined;
  const path = template === '' ? at : `${at}.${template}`;
  const found = valueAt(resource, at);
  const part = 'value' in found && isObject(found.value) ? found.value : {};
  const replicas = count(part, at);
  if (typeof replicas !== 'number') return replicas;
  if (replicas > mostPods) {
    return { fault: `${path} makes ${replicas} Pods; a podSet has at most ${mostPods}` };
  }
  const pod = podTemplateAt(resource, path);
  if ('fault' in pod) {
    return { fault: `${path} does not refer to a v1.PodSpecTemplate: ${pod.fault}` };
  }
  return {
    path,
    replicas,
    ...(annotations === undefined ? {} : { annotations: annotations(part) }),
  };
}

function isThere(resource: JsonObject, path: string): boolean {
  const found = valueAt(resource, path);
  return 'value' in found && found.value !== null;
}
