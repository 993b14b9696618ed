/** Reads from a review its kind, and whether the request changes what is run. */
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

/** Throws for an undeclared kind, for which no webhook is registered. */
export function kindOf({ resource }: Pick<Review, 'resource'>): SubmittedKind {
  const kind = submittedKinds.find((each) => resourceKey(each.resource) === resourceKey(resource));
  if (kind === undefined) throw new Error(`${resourceKey(resource)} submits no Jobs`);
  return kind;
}

/** The new object. CREATE and UPDATE always have one. */
export function objectOf({ object }: Pick<Review, 'object'>): JsonObject {
  return object ?? {};
}

/**
 * True: the user becomes the submitter and answers for what the object runs. False: nothing is asked, so that
 * changes of annotations and finalizers never depend on admission. A suspension or resumption changes no work:
 * suspend policies do it without the right to create Jobs, and so does Kueue, which also sets the placement
 * (placement.ts).
 */
export function changesWork({ object, oldObject }: Pick<Review, 'object' | 'oldObject'>): boolean {
  return oldObject === undefined || !jsonEqual(workOf(object), workOf(oldObject));
}

function workOf(object: JsonObject | undefined): JsonObject {
  const spec = object?.['spec'];
  return isObject(spec) ? omit(omit(spec, 'suspend'), placementField) : {};
}

/** The text of the annotation. Undefined: there is none. */
export function submitterIn(object: JsonObject | undefined): string | undefined {
  const text = annotationsOf(object)[annotations.submitter];
  return typeof text === 'string' ? text : undefined;
}

export function withSubmitter(object: JsonObject, text: string): JsonObject {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const own = { ...annotationsOf(object), [annotations.submitter]: text };
  return { ...object, metadata: { ...metadata, annotations: own } };
}

/** Empty: there are none. */
export function annotationsOf(object: JsonObject | undefined): JsonObject {
  const metadata = object?.['metadata'];
  const own = isObject(metadata) ? metadata['annotations'] : undefined;
  return isObject(own) ? own : {};
}

const annotationOf = (object: string): string =>
  `(has(${object}.metadata.annotations) && '${annotations.submitter}' in ${object}.metadata.annotations` +
  ` ? ${object}.metadata.annotations['${annotations.submitter}'] : '')`;

/**
 * Reviews are requested only if they can matter. The garbage collector, and users who annotate an object, neither wait
 * for a webhook nor are refused while it is down.
 */
export const whatMatters = [
  {
    name: 'spec-or-submitter-changes',
    expression:
      'oldObject == null || object.spec != oldObject.spec' +
      ` || ${annotationOf('object')} != ${annotationOf('oldObject')}`,
  },
] as const;

/** The reviewed operations on every kind. */
export const submissions = submittedKinds.map(({ resource }) => {
  const { group, version, plural } = resource;
  return { resource: { group, version, plural }, operations: ['CREATE', 'UPDATE'] as const };
});
