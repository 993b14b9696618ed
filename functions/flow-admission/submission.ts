/** Of a review: which kind it is of, and whether what is run changes by it. */
import type { Submission } from '#shared/api/work/submission/submission.ts';
import { workKinds } from '#shared/api/work/work-kinds.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import { isObject } from '#shared/domain/json-value.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { omit } from '#shared/domain/omit.ts';
import { annotations } from '#shared/domain/labels.ts';
import { resourceKey, type JsonObject, type Resource } from '#shared/domain/objects.ts';
import { placementField } from './placement.ts';

export interface SubmittedKind extends Submission {
  readonly resource: Resource;
}

export const submittedKinds: readonly SubmittedKind[] = workKinds.flatMap(
  ({ resource, submission }) => (submission === undefined ? [] : [{ resource, ...submission }]),
);

/** Throws for a kind that is not declared: no webhook is registered for one. */
export function kindOf({ resource }: Pick<Review, 'resource'>): SubmittedKind {
  const kind = submittedKinds.find((each) => resourceKey(each.resource) === resourceKey(resource));
  if (kind === undefined) throw new Error(`${resourceKey(resource)} submits no Jobs`);
  return kind;
}

/** What the object says as it is to be. CREATE and UPDATE always have one. */
export function objectOf({ object }: Pick<Review, 'object'>): JsonObject {
  return object ?? {};
}

/**
 * True: the user of the request answers for what the object runs from now on, and becomes its submitter.
 * False: nothing is to be asked about it, so that annotations and finalizers never wait for us. Who suspends
 * or resumes changes nothing of what is run, nor in whose name: a suspend policy may do it, which has no
 * right to create Jobs, and an admission of Kueue, which says where it runs as well (placement.ts).
 */
export function changesWork({ object, oldObject }: Pick<Review, 'object' | 'oldObject'>): boolean {
  return oldObject === undefined || !jsonEqual(workOf(object), workOf(oldObject));
}

function workOf(object: JsonObject | undefined): JsonObject {
  const spec = object?.['spec'];
  return isObject(spec) ? omit(omit(spec, 'suspend'), placementField) : {};
}

/** The annotation as it is written there; undefined: it is not. */
export function submitterIn(object: JsonObject | undefined): string | undefined {
  const text = annotationsOf(object)[annotations.submitter];
  return typeof text === 'string' ? text : undefined;
}

export function withSubmitter(object: JsonObject, text: string): JsonObject {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const own = { ...annotationsOf(object), [annotations.submitter]: text };
  return { ...object, metadata: { ...metadata, annotations: own } };
}

/** Empty where there are none. */
export function annotationsOf(object: JsonObject | undefined): JsonObject {
  const metadata = object?.['metadata'];
  const own = isObject(metadata) ? metadata['annotations'] : undefined;
  return isObject(own) ? own : {};
}

const annotationOf = (object: string): string =>
  `(has(${object}.metadata.annotations) && '${annotations.submitter}' in ${object}.metadata.annotations` +
  ` ? ${object}.metadata.annotations['${annotations.submitter}'] : '')`;

/**
 * Reviews are asked for only where they can matter: the garbage collector and users who annotate an
 * object do not wait for a webhook, and are not refused while there is none.
 */
export const whatMatters = [
  {
    name: 'spec-or-submitter-changes',
    expression:
      'oldObject == null || object.spec != oldObject.spec' +
      ` || ${annotationOf('object')} != ${annotationOf('oldObject')}`,
  },
] as const;

/** Operations on every kind. */
export const submissions = submittedKinds.map(({ resource }) => {
  const { group, version, plural } = resource;
  return { resource: { group, version, plural }, operations: ['CREATE', 'UPDATE'] as const };
});
