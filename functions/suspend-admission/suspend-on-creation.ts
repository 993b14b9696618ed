/**
 * What is created starts suspended where it may not run yet. It may be passed over when nobody answers:
 * suspend-schedule and Kueue suspend what runs all the same, a moment later.
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
/** What is suspended already may still get a queue. */
const mayChange = {
  name: 'may-be-suspended-or-queued',
  expression:
    `!${isSuspended('object')} || ` +
    `(object.kind in [${ours}] && !('${queueLabel}' in ${mapOf('object', 'labels')}))`,
};
/** The steps of flows and the Jobs of nodes are most of all Jobs: nobody is asked about them. */
const notOurs = {
  name: 'not-a-child-of-millrace',
  expression: `!(${isChildOfOurs} || ${isTrialOfChild}) || '${queueLabel}' in ${mapOf('object', 'labels')}`,
  // Where Kueue manages everything, children wait by themselves if it does not know their owners.
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
