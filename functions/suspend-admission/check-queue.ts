/**
 * Kueue's rules for work in its queues, for the kinds that Kueue has no webhooks for. In addition, a user who may not
 * admit a Workload may not resume what waits for one.
 */
import { type Admission, defineAdmission } from '#shared/admission/admission.ts';
import { workloadWork } from '#shared/api/work/workload.ts';
import type { AdmissionDecision, Review } from '#shared/domain/admission-decision.ts';
import type { Inquiry } from '#shared/kube/inquiry.ts';
import { forbidden, together } from '#shared/domain/field-error.ts';
import { queueErrors } from './decide/queue-rules.ts';
import { mapOf, own, reviewsOf } from './governed-kinds.ts';
import type { Known } from './look-up.ts';
import {
  defaultQueue,
  isSuspended,
  kueuePrefix,
  queueLabel,
  queueOf,
} from '#shared/domain/queue-labels.ts';

export interface QueueRights {
  /** Asked only if the request resumes queued work. */
  readonly mayAdmit?: boolean;
  readonly hasDefaultQueue?: true;
}

const isQueued = (object: string): string =>
  ['labels' as const, 'annotations' as const]
    .map((field) => `${mapOf(object, field)}.exists(key, key.startsWith('${kueuePrefix}'))`)
    .join(' || ');

const differs = (['labels', 'annotations'] as const)
  .map((field) => `${mapOf('object', field)} != ${mapOf('oldObject', field)}`)
  .concat('object.spec != oldObject.spec')
  .join(' || ');

/** Requests that have nothing to do with Kueue do not wait for a review. */
const whatIsQueued = [
  {
    name: 'of-kueue',
    expression: `${isQueued('object')} || (oldObject != null && (${isQueued('oldObject')}))`,
  },
  {
    name: 'changes-what-kueue-sees',
    expression: `oldObject == null || ${differs}`,
  },
] as const;

export const checkQueue: Admission<QueueRights, Known> = defineAdmission({
  name: 'queue-validation',
  mode: 'validating',
  reviews: reviewsOf(own, ['CREATE', 'UPDATE']),
  registration: { failurePolicy: 'Fail', timeoutSeconds: 10, matchConditions: whatIsQueued },
  lookUp,
  decide: (review, { facts }) => judge(review, facts),
});

/** A user who may write the status of Workloads could start the work anyway. */
const { resource: workloads } = workloadWork;

async function lookUp(
  review: Review,
  known: Inquiry & Known,
  signal: AbortSignal,
): Promise<QueueRights> {
  const { user, namespace } = review;
  const queues: QueueRights = known.policies.hasLocalQueue(namespace, defaultQueue)
    ? { hasDefaultQueue: true }
    : {};
  if (!resumesQueued(review)) return queues;
  const question = { user, verb: 'patch', resource: workloads, subresource: 'status', namespace };
  return { ...queues, mayAdmit: (await known.access(question, signal)).allowed };
}

function resumesQueued({ object, oldObject }: Review): boolean {
  return queueOf(object) !== '' && isSuspended(oldObject) && !isSuspended(object);
}

function judge(review: Review, { mayAdmit, hasDefaultQueue }: QueueRights): AdmissionDecision {
  const errors = [
    ...queueErrors(review, hasDefaultQueue === true),
    ...(mayAdmit === false ? [forbidden('spec.suspend', refusal(review))] : []),
  ];
  if (errors.length === 0) return { allowed: true };
  return { allowed: false, code: 403, reason: 'Forbidden', message: together(errors) };
}

function refusal({ user, object }: Review): string {
  return (
    `${user.username} may not admit Workloads, and this waits in the queue ${queueOf(object)}; ` +
    `remove the label ${queueLabel} first, or let Kueue resume it`
  );
}
