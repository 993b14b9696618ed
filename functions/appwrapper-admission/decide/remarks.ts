/** What the API server takes and is probably not meant. */
import { didYouMean } from '#shared/api/fault.ts';
import type { Component } from '#shared/api/app-wrapper.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import { isObject } from '#shared/domain/json-value.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { annotationsOf } from '#shared/domain/queue-labels.ts';
import { isUnknownWrapperAnnotation, wrapperAnnotations } from '#shared/domain/wrapper-keys.ts';
import { componentsOf } from '../wrapper-review.ts';

const readable = Object.values(wrapperAnnotations);
const names = readable.map((key) => key.slice(key.indexOf('/') + 1));
const isReadable: ReadonlySet<string> = new Set(readable);

/** Only about what this request brings. */
export function remarksOn({ object, oldObject }: Review): readonly string[] {
  const before = annotationsOf(oldObject);
  const unknown = Object.keys(annotationsOf(object)).filter(
    (key) => isUnknownWrapperAnnotation(key) && ownMember(before, key) === undefined,
  );
  if (oldObject !== undefined) return unknown.map(unknownWords);
  return [
    ...unknown.map(unknownWords),
    ...componentsOf(object).flatMap((component, index) =>
      remarksOnComponent(component, `spec.components[${index}]`),
    ),
  ];
}

function unknownWords(key: string): string {
  const at = key.indexOf('/') + 1;
  const near = didYouMean(key.slice(at), names);
  const hint = near === undefined ? '' : `; did you mean ${key.slice(0, at)}${near}?`;
  return `metadata.annotations[${key}]: AppWrappers know no such annotation${hint}`;
}

function remarksOnComponent(
  { annotations = {}, template }: Component,
  path: string,
): readonly string[] {
  const misplaced = Object.keys(annotations).filter(
    (key) => isReadable.has(key) || isUnknownWrapperAnnotation(key),
  );
  return [
    ...misplaced.map(
      (key) =>
        `${path}.annotations[${key}]: has no effect there; write it into metadata.annotations`,
    ),
    ...(autoscales(template)
      ? [`${path}.template: the autoscaler of Ray may create Pods for which there is no quota`]
      : []),
    ...(hasItsPodsElsewhere(template)
      ? [
          `${path}.template: the Pod templates of a TrainJob are in its runtime, so no quota is held for its Pods; wrap the JobSet that the runtime describes, or give the TrainJob a queue of its own`,
        ]
      : []),
  ];
}

/** Of a RayCluster, and of the cluster of a RayJob. */
function autoscales({ spec }: Component['template']): boolean {
  if (!isObject(spec)) return false;
  const { rayClusterSpec = spec } = spec;
  return isObject(rayClusterSpec) && rayClusterSpec['enableInTreeAutoscaling'] === true;
}

/** No path of a podSet leads into another object. */
function hasItsPodsElsewhere({ apiVersion, kind }: Component['template']): boolean {
  return kind === 'TrainJob' && apiVersion.startsWith('trainer.kubeflow.org/');
}
