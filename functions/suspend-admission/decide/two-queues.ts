/**
 * An object that waits in a queue as a whole must have no steps in queues of their own. They would take the quota
 * twice, or never be admitted while the whole holds it.
 */
import { queuedKindNamed } from '#shared/api/work/queued-kinds.ts';
import type { Review } from '#shared/domain/admission-decision.ts';
import { type FieldError, forbidden } from '#shared/domain/field-error.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { queueLabel, queueOf } from '#shared/domain/queue-labels.ts';

export function twoQueuesErrors({
  object,
  kind: { group, version, kind },
}: Pick<Review, 'object' | 'kind'>): readonly FieldError[] {
  if (queueOf(object) === '') return [];
  const { queueing } = queuedKindNamed({ apiVersion: `${group}/${version}`, kind }) ?? {};
  const parts = queueing?.labelsOfParts?.(fieldsOf(object?.['spec'])) ?? [];
  return parts
    .filter(({ labels }) => queueLabel in fieldsOf(labels))
    .map(({ path }) =>
      forbidden(
        `${path}[${queueLabel}]`,
        'metadata.labels has it: either the whole waits, or its parts',
      ),
    );
}
