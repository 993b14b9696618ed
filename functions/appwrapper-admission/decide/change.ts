/** The immutable parts of an AppWrapper: everything that was judged at its creation. */
import type { AppWrapperPodSet, Component } from '#shared/api/app-wrapper.ts';
import { replicasOf } from '#shared/api/wrapped/pod-sets.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import { type FieldError, forbidden } from '#shared/domain/field-error.ts';
import { annotations } from '#shared/domain/labels.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { annotationsOf, labelsOf } from '#shared/domain/queue-labels.ts';
import { wrapperLabels } from '#shared/domain/wrapper-keys.ts';
import { asWrapper, componentsOf } from '../wrapper-review.ts';

const immutable = 'attempt to change immutable field';

export function changeErrors({ object, oldObject }: Review): readonly FieldError[] {
  const [before, after] = [componentsOf(oldObject), componentsOf(object)];
  if (before.length !== after.length) return [forbidden('spec.components', immutable)];
  const labels = [wrapperLabels.user, wrapperLabels.userId].filter(
    (key) => ownMember(labelsOf(object), key) !== ownMember(labelsOf(oldObject), key),
  );
  const { submitter } = annotations;
  const isResubmitted =
    ownMember(annotationsOf(object), submitter) !== ownMember(annotationsOf(oldObject), submitter);
  const [spec, oldSpec] = [asWrapper(object).spec, asWrapper(oldObject).spec];
  return [
    ...after.flatMap((component, index) => {
      const old = before[index];
      return old === undefined ? [] : componentErrors(old, component, `spec.components[${index}]`);
    }),
    ...labels.map((key) => forbidden(`metadata.labels[${key}]`, immutable)),
    ...(isResubmitted ? [forbidden(`metadata.annotations[${submitter}]`, immutable)] : []),
    ...(spec.managedBy === oldSpec.managedBy ? [] : [forbidden('spec.managedBy', immutable)]),
  ];
}

function componentErrors(before: Component, after: Component, path: string): readonly FieldError[] {
  return [
    ...(isSame(before.template, after.template) ? [] : [forbidden(`${path}.template`, immutable)]),
    ...podSetErrors(before.podSets ?? [], after.podSets ?? [], `${path}.podSets`),
  ];
}

function podSetErrors(
  before: readonly AppWrapperPodSet[],
  after: readonly AppWrapperPodSet[],
  path: string,
): readonly FieldError[] {
  if (before.length !== after.length) return [forbidden(path, immutable)];
  return after.flatMap((podSet, index) => {
    const old = before[index];
    if (old === undefined) return [];
    return [
      ...(replicasOf(old) === replicasOf(podSet)
        ? []
        : [forbidden(`${path}[${index}].replicas`, immutable)]),
      ...(old.path === podSet.path ? [] : [forbidden(`${path}[${index}].path`, immutable)]),
    ];
  });
}

/**
 * The order of fields does not matter, and null counts as absent: the merge patch that resumes an AppWrapper cannot
 * write null (RFC 7386).
 */
function isSame(before: Component['template'], after: Component['template']): boolean {
  return jsonEqual(withoutNulls(before), withoutNulls(after));
}

function withoutNulls(template: Component['template']): unknown {
  return JSON.parse(JSON.stringify(template), (_, value: unknown) => value ?? undefined);
}
