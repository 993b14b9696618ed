/**
 * A new object starts suspended if it may not run yet. It may fail open: suspend-schedule and Kueue then suspend the
 * object a moment later.
 */
import { type Admission, defineAdmission } from '#shared/admission/admission.ts';
import { queuedKinds } from '#shared/api/work/queued-kinds.ts';
import { decide } from './decide.ts';
import type { Facts } from './facts.ts';
import {
  governed,
  isChildOfOurs,
  isSuspended,
  isTrialOfChild,
  mapOf,
  reviewsOf,
} from './governed-kinds.ts';
import { type Known, lookUp } from './look-up.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';

const ours = queuedKinds.map(({ resource: { kind } }) => `'${kind}'`).join(', ');
/** A suspended object may still get a default queue. */
const mayChange = {
  name: 'may-be-suspended-or-queued',
  expression:
    `!${isSuspended('object')} || ` +
    `(object.kind in [${ours}] && !('${queueLabel}' in ${mapOf('object', 'labels')}))`,
};
/** Steps of flows and Jobs of nodes are most of all Jobs, so they are not reviewed. */
const notOurs = {
  name: 'not-a-child-of-millrace',
  expression: `!(${isChildOfOurs} || ${isTrialOfChild}) || '${queueLabel}' in ${mapOf('object', 'labels')}`,
  // If Kueue manages everything and does not know their owners, children wait by themselves.
  unless: ({ kueue }: Known) => kueue.managesUnlabelled,
};

export const suspendOnCreation: Admission<Facts, Known> = defineAdmission({
  name: 'suspension',
  mode: 'mutating',
  reviews: reviewsOf(governed, ['CREATE']),
  registration: {
    failurePolicy: 'Ignore',
    timeoutSeconds: 3,
    matchConditions: [mayChange, notOurs],
  },
  lookUp: (review, known) => lookUp(review, known, known),
  decide: (review, { facts, nowMs }) => decide(review, facts, nowMs),
});
