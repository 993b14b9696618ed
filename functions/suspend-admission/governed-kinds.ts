/** What is reviewed. */
import { annotations } from '#shared/domain/labels.ts';
import type { ReviewedOperation } from '#shared/domain/admission-decision.ts';
import type { ReviewedResource } from '#shared/admission/admission.ts';
import { resources } from '#shared/domain/resources.ts';

const { DaemonJob, Job, JobFlow } = resources;

/** Kinds that are suspended by policies. */
export const governed = [Job, JobFlow, DaemonJob] as const;
/** Kinds of ours: Kueue's own webhooks judge Jobs. */
export const own = [JobFlow, DaemonJob] as const;

export function reviewsOf(
  kinds: readonly (typeof governed)[number][],
  operations: readonly ReviewedOperation[],
): readonly ReviewedResource[] {
  return kinds.map(({ group, version, plural }) => ({
    resource: { group, version, plural },
    operations,
  }));
}

/** What policies write on what they hold and resume; a person's part is the override. */
export const policyAnnotations = [
  annotations.suspendedBy,
  annotations.held,
  annotations.resumedBy,
  annotations.placed,
] as const;

/** CEL: the object belongs to a JobFlow or a DaemonJob. */
export const isChildOfOurs =
  '(has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(owner,' +
  ` has(owner.controller) && owner.controller && owner.apiVersion.startsWith('${JobFlow.group}/')))`;

/** CEL: `object` is suspended. */
export const isSuspended = (object: string): string =>
  `(has(${object}.spec) && has(${object}.spec.suspend) && ${object}.spec.suspend)`;

/** CEL: all labels or annotations of `object`. */
export const mapOf = (object: string, field: 'labels' | 'annotations'): string =>
  `(has(${object}.metadata.${field}) ? ${object}.metadata.${field} : {})`;
