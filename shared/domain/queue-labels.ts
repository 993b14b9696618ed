/** Labels and annotations of Kueue (pkg/controller/constants). */
import { isObject } from './json-value.ts';
import type { Json, JsonObject } from './objects.ts';
import { ownMember } from './own-member.ts';

export const kueuePrefix = 'kueue.x-k8s.io/';
export const queueLabel = `${kueuePrefix}queue-name`;
export const priorityLabel = `${kueuePrefix}priority-class`;
export const maxExecTimeLabel = `${kueuePrefix}max-exec-time-seconds`;
/** The LocalQueue for objects that name no queue. */
export const defaultQueue = 'default';
/** Read from the annotations first, then from the labels. */
export const prebuiltKey = `${kueuePrefix}prebuilt-workload-name`;
/** A label: MultiKueue copied the object from another cluster. */
const originLabel = `${kueuePrefix}multikueue-origin`;
export const elasticAnnotation = `${kueuePrefix}elastic-job`;
/** Requests partial admission. */
export const minParallelismAnnotation = `${kueuePrefix}job-min-parallelism`;
export const gatesAnnotation = `${kueuePrefix}admission-gated-by`;

type Texts = Readonly<Record<string, string>>;

export function labelsOf(object: JsonObject | undefined): Texts {
  return textsOf(object, 'labels');
}

export function annotationsOf(object: JsonObject | undefined): Texts {
  return textsOf(object, 'annotations');
}

function textsOf(object: JsonObject | undefined, field: string): Texts {
  const metadata = object?.['metadata'];
  const found = isObject(metadata) ? ownMember(metadata, field) : undefined;
  return isObject(found) ? (found as Texts) : {};
}

/** The name of the object's queue. Empty: none. */
export function queueOf(object: JsonObject | undefined): string {
  return labelsOf(object)[queueLabel] ?? '';
}

export function isSuspended(object: JsonObject | undefined): boolean {
  const spec: Json | undefined = object?.['spec'];
  return isObject(spec) && spec['suspend'] === true;
}

/**
 * Where the object names its prebuilt Workload. The name is empty if there is none (kueue,
 * PrebuiltWorkloadNameFor).
 */
export function prebuiltIn(object: JsonObject | undefined): {
  readonly name: string;
  readonly field: 'labels' | 'annotations';
} {
  const name = annotationsOf(object)[prebuiltKey] ?? '';
  return name === ''
    ? { name: labelsOf(object)[prebuiltKey] ?? '', field: 'labels' }
    : { name, field: 'annotations' };
}

/** The Workload that MultiKueue dispatched the object with. Undefined: it was submitted in this cluster. */
export function dispatchedWorkload(object: JsonObject | undefined): string | undefined {
  const { name } = prebuiltIn(object);
  return name === '' || (labelsOf(object)[originLabel] ?? '') === '' ? undefined : name;
}
