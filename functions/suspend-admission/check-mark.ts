/**
 * Only policies may change what policies write on objects. Otherwise a user's resumption could not be distinguished
 * from a policy's, and waiting times could be forged.
 *
 * The match conditions exempt the users who may write it, so suspensions and resumptions by a policy never wait for
 * this webhook.
 */
import { type Admission, defineAdmission } from '#shared/admission/admission.ts';
import type { AdmissionDecision, Review } from '#shared/domain/admission-decision.ts';
import { annotations } from '#shared/domain/labels.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { resources } from '#shared/domain/resources.ts';
import { forbidden, together } from '#shared/domain/field-error.ts';
import { governed, isChildOfOurs, mapOf, policyAnnotations, reviewsOf } from './governed-kinds.ts';
import { annotationsOf, isSuspended, labelsOf } from '#shared/domain/queue-labels.ts';

const { SuspendPolicy, ClusterSuspendPolicy } = resources;

const mayWriteStatus = ({ group, plural }: typeof SuspendPolicy | typeof ClusterSuspendPolicy) =>
  `authorizer.group('${group}').resource('${plural}').subresource('status')`;

const valueIn = (object: string, key: string): string => {
  const all = mapOf(object, 'annotations');
  return `('${key}' in ${all} ? ${all}['${key}'] : '')`;
};

const changesOwn = policyAnnotations
  .map((key) => `${valueIn('object', key)} != ${valueIn('oldObject', key)}`)
  .join(' || ');

const isMarked = (object: string): string =>
  `'${annotations.suspendedBy}' in ${mapOf(object, 'annotations')}`;

const relabels = `${isMarked('oldObject')} && ${mapOf('object', 'labels')} != ${mapOf('oldObject', 'labels')}`;

const byOthers = [
  {
    name: 'touches-what-a-policy-wrote',
    expression: `oldObject == null ? ${isMarked('object')} : (${changesOwn} || (${relabels}))`,
  },
  { name: 'not-a-child-of-millrace', expression: `!${isChildOfOurs}` },
  {
    name: 'not-by-who-may',
    expression:
      `!${mayWriteStatus(SuspendPolicy)}.namespace(object.metadata.namespace).check('patch').allowed()` +
      ` && !${mayWriteStatus(ClusterSuspendPolicy)}.check('patch').allowed()`,
  },
] as const;

export const checkMark: Admission = defineAdmission({
  name: 'suspension-mark',
  mode: 'validating',
  reviews: reviewsOf(governed, ['CREATE', 'UPDATE']),
  registration: { failurePolicy: 'Fail', timeoutSeconds: 10, matchConditions: byOthers },
  decide: judge,
});

function judge(review: Review): AdmissionDecision {
  const errors = review.operation === 'CREATE' ? ofCreation(review) : ofUpdate(review);
  if (errors.length === 0) return { allowed: true };
  return { allowed: false, code: 403, reason: 'Forbidden', message: together(errors) };
}

/** On a running object the mark would mean that a user resumed it, so that no policy suspends it. */
function ofCreation({ object }: Review): readonly string[] {
  const isForged = annotations.suspendedBy in annotationsOf(object) && !isSuspended(object);
  return isForged ? [forbidden(pathOf(annotations.suspendedBy), theirs)] : [];
}

function ofUpdate({ object, oldObject }: Review): readonly string[] {
  const [before, after] = [annotationsOf(oldObject), annotationsOf(object)];
  const isMarked = annotations.suspendedBy in before;
  const isResumed = isSuspended(oldObject) && !isSuspended(object);
  const isRelabelled = !jsonEqual(labelsOf(oldObject), labelsOf(object));
  return [
    ...policyAnnotations
      .filter((key) => before[key] !== after[key])
      .map((key) => forbidden(pathOf(key), theirs)),
    ...(isMarked && isResumed && isRelabelled ? [forbidden('metadata.labels', oneByOne)] : []),
  ];
}

const theirs = `only suspend policies write this; ${annotations.suspendOverride} is for people`;
const oneByOne =
  'a policy holds this object: resume it and change its labels in separate requests, so that the policy can tell the changes apart';

function pathOf(key: string): string {
  return `metadata.annotations[${key}]`;
}
