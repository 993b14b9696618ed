/** The reviewed kinds, and conditions for their reviews. */
import { annotations, labels } from '#shared/domain/labels.ts';
import type { ReviewedOperation } from '#shared/domain/admission-decision.ts';
import type { ReviewedResource } from '#shared/admission/admission.ts';
import { governedKinds } from '#shared/api/work/governed-kinds.ts';
import type { WorkKind } from '#shared/api/work/work-kind.ts';
import { workKinds } from '#shared/api/work/work-kinds.ts';

/** Kinds that policies suspend. */
export const governed = governedKinds.filter(({ suspension }) => suspension.isQueue !== true);
/** Kinds of Millrace. Kueue's own webhooks judge Jobs. */
export const own = governed.filter(({ isOurs }) => isOurs === true);

export function reviewsOf(
  kinds: readonly WorkKind[],
  operations: readonly ReviewedOperation[],
): readonly ReviewedResource[] {
  return kinds.map(({ resource: { group, version, plural } }) => ({
    resource: { group, version, plural },
    operations,
  }));
}

/** Policies write these on objects that they hold and resume. Users write only the override. */
export const policyAnnotations = [
  annotations.suspendedBy,
  annotations.held,
  annotations.resumedBy,
  annotations.placed,
] as const;

const ownGroups = new Set(
  workKinds.filter(({ isOurs }) => isOurs === true).map(({ resource }) => resource.group),
);
const isOfOwnGroup = [...ownGroups]
  .map((group) => `owner.apiVersion.startsWith('${group}/')`)
  .join(' || ');

/** CEL: the owner of the object is of a kind of Millrace. */
export const isChildOfOurs =
  '(has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(owner,' +
  ` has(owner.controller) && owner.controller && (${isOfOwnGroup})))`;

/** CEL: `object` is suspended. */
export const isSuspended = (object: string): string =>
  `(has(${object}.spec) && has(${object}.spec.suspend) && ${object}.spec.suspend)`;

/** CEL: all labels or annotations of `object`. */
export const mapOf = (object: string, field: 'labels' | 'annotations'): string =>
  `(has(${object}.metadata.${field}) ? ${object}.metadata.${field} : {})`;

/** CEL: another admission of Millrace tries a child, which has no owner yet. */
export const isTrialOfChild = `(has(request.dryRun) && request.dryRun && '${labels.ownerUid}' in ${mapOf('object', 'labels')})`;
