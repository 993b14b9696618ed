/**
 * Faults of a component's podSets, in the words of the original controller and of the API server
 * (field.Error).
 */
import { type FieldError, invalid, malformed } from '#shared/domain/field-error.ts';
import type { AppWrapperPodSet } from '../app-wrapper-pod-set.ts';
import type { Component } from '../app-wrapper.ts';
import { inferPodSets, replicasOf, wrappedKindOf } from './pod-sets.ts';
import { podTemplateAt } from './template-path.ts';

export interface JudgedComponent {
  readonly errors: readonly FieldError[];
  /** Declarations that are valid but differ from what Millrace infers. */
  readonly warnings: readonly string[];
  /** The larger of the numbers of declared and inferred ones. */
  readonly podSets: number;
}

/** `path`: the component, such as `spec.components[0]`. */
export function judgeComponent(
  { template, podSets: declared = [] }: Component,
  path: string,
): JudgedComponent {
  const wrong = declared.flatMap((podSet, index) =>
    podSetErrors(podSet, template, `${path}.podSets[${index}]`),
  );
  const mayDiffer = wrappedKindOf(template)?.mayDiffer === true && declared.length > 0;
  const inferred = inferPodSets(template);
  if ('fault' in inferred) {
    if (mayDiffer) return { errors: wrong, warnings: [], podSets: declared.length };
    const why = `error inferring PodSets: ${inferred.fault}`;
    const errors = [...wrong, malformed(`${path}.template`, why)];
    return { errors, warnings: [], podSets: declared.length };
  }
  const podSets = Math.max(declared.length, inferred.podSets.length);
  const negative = [...declared, ...inferred.podSets].filter((each) => replicasOf(each) < 0);
  const errors = [
    ...wrong,
    ...duplicateErrors(declared, path),
    ...negative.map(({ path: at, replicas = 0 }) =>
      invalid(`${path}.podSets`, replicas, `replicas of '${at}' must not be negative`),
    ),
  ];
  const difference = differenceOf(declared, inferred.podSets);
  if (difference === undefined) return { errors, warnings: [], podSets };
  if (mayDiffer) return { errors, warnings: [`${path}.podSets: ${difference}`], podSets };
  return { errors: [...errors, malformed(`${path}.podSets`, difference)], warnings: [], podSets };
}

function podSetErrors(
  { path }: AppWrapperPodSet,
  template: Component['template'],
  at: string,
): readonly FieldError[] {
  const found = podTemplateAt(template, path);
  const required = path === '' ? [`${at}.path: Required value: podspec must specify path`] : [];
  if (!('fault' in found)) return required;
  const why = `path does not refer to a v1.PodSpecTemplate: ${found.fault}`;
  return [...required, invalid(`${at}.path`, path, why)];
}

function duplicateErrors(
  declared: readonly AppWrapperPodSet[],
  path: string,
): readonly FieldError[] {
  const paths = declared.map((each) => each.path);
  const twice = paths.find((each, index) => paths.indexOf(each) !== index);
  if (twice === undefined) return [];
  return [malformed(`${path}.podSets`, `multiple DeclaredPodSets with path '${twice}'`)];
}

/** Undefined: none is declared, none is inferred, or they are equal in any order. */
function differenceOf(
  declared: readonly AppWrapperPodSet[],
  inferred: readonly AppWrapperPodSet[],
): string | undefined {
  if (declared.length === 0 || inferred.length === 0) return undefined;
  if (declared.length !== inferred.length) {
    return `DeclaredPodSet count ${declared.length} differs from inferred count ${inferred.length}`;
  }
  for (const { path, replicas = 1 } of inferred) {
    const own = declared.find((each) => each.path === path);
    if (own === undefined) return `PodSet with path '${path}' is missing`;
    const count = replicasOf(own);
    if (count !== replicas) {
      return `replica count ${count} differs from inferred count ${replicas} for PodSet at path position '${path}'`;
    }
  }
  return undefined;
}
