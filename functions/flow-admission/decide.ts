/**
 * Judges a submission, in the order in which a user wants to know: who may submit it, whether it can be run, what
 * policy says, and what the API server would answer to the Jobs.
 */
import type { AdmissionDecision, Denied, Review } from '#shared/domain/admission-decision.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { annotations } from '#shared/domain/labels.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { submitterText } from '#shared/domain/submitter.ts';
import { breachesOf, breachWords, type Breach } from '#shared/policy/pod-policy.ts';
import { faultsOf, unaskedServiceAccount } from './bounds.ts';
import type { SubmissionFacts } from './facts.ts';
import { specOf } from './job-spec.ts';
import { changesWork, kindOf, objectOf, submitterIn } from './submission.ts';
import type { Child, Rendered } from '#shared/api/work/submission/submission.ts';
import { wordsOfTrials } from './words-of-trials.ts';

export function decide(review: Review, facts: SubmissionFacts | undefined): AdmissionDecision {
  const denial = requireSubmitter(review);
  if (denial !== undefined) return denial;
  if (facts === undefined) return { allowed: true };
  if (!facts.mayCreateJobs.allowed) return mayNot(review, facts.mayCreateJobs.reason);
  const kind = kindOf(review);
  const object = objectOf(review);
  const faults = faultsOf(kind, object);
  // An invalid object is not rendered, because it may have any shape.
  const { children, faults: unrendered }: Rendered =
    faults.length > 0 ? { children: [], faults: [] } : kind.children(object, facts.templates);
  const wrong = [...faults, ...unrendered].map(({ path, message }) => `${path}: ${message}`);
  if (wrong.length > 0) return invalid(wrong);
  const breaches = children.flatMap((child) => breachesBy(child, review, facts));
  const refused = breaches.filter(({ action }) => action === 'deny');
  if (refused.length > 0) return forbidden(refused.map(refusalWords));
  const trials = wordsOfTrials(review, children, facts.trials, () => childrenBefore(review, facts));
  if (trials.refusals.length > 0) return invalid(trials.refusals);
  const warnings = [
    ...absences(review, facts),
    ...breaches.map(warningWords),
    ...(kind.remarks?.(object) ?? []),
    ...trials.warnings,
  ];
  return { allowed: true, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** The Jobs of the stored object, made from the current templates. */
function childrenBefore(review: Review, { templates }: SubmissionFacts): readonly Child[] {
  const { oldObject } = review;
  const kind = kindOf(review);
  // It may have been stored when the rules were different.
  if (oldObject === undefined || faultsOf(kind, oldObject).length > 0) return [];
  return kind.children(oldObject, templates).children;
}

/**
 * Only `record-submitter.ts` writes the annotation. If another text is there where it had to write, it was not
 * called in time. That is a failed call and no denial, whatever the text is (answer-1).
 */
function requireSubmitter(review: Review): Denied | undefined {
  const written = submitterIn(objectOf(review));
  if (changesWork(review)) {
    if (written === submitterText(review.user)) return undefined;
    throw new MillraceError('MR_REVIEW_UNRECORDED', {
      annotation: annotations.submitter,
      user: review.user.username,
    });
  }
  if (written === submitterIn(review.oldObject)) return undefined;
  const where = `metadata.annotations: ${annotations.submitter}`;
  return forbidden([`${where} names the submitter and cannot be changed`]);
}

function mayNot(review: Review, reason: string | undefined): Denied {
  const { user, namespace, kind } = review;
  const { plural, group, kind: child } = kindOf(review).creates;
  const why = reason === undefined ? '' : `: ${reason}`;
  const message =
    `${user.username} may not create ${plural}.${group} in the namespace ${namespace}, ` +
    `and a ${kind.kind} runs ${child}s there with the rights of the user who submits it${why}`;
  return { allowed: false, code: 403, reason: 'Forbidden', message };
}

interface SubmittedBreach extends Breach {
  readonly of: string;
}

function breachesBy(
  { of, job, comesOf = {} }: Child,
  { user }: Review,
  { policy, mayImpersonate }: SubmissionFacts,
): readonly SubmittedBreach[] {
  return breachesOf(specOf(job), policy)
    .map((breach) => ({ ...breach, ...ownMember(comesOf, breach.path) }))
    .filter(
      ({ rule, value }) => rule !== 'serviceAccount' || ownMember(mayImpersonate, value) !== true,
    )
    .map((breach) =>
      breach.rule === 'serviceAccount'
        ? {
            ...breach,
            of,
            message: `${breach.message}, ${whyNot(breach.value, user.username, mayImpersonate)}`,
          }
        : { ...breach, of },
    );
}

function whyNot(
  account: string,
  username: string,
  asked: SubmissionFacts['mayImpersonate'],
): string {
  return Object.hasOwn(asked, account)
    ? `which ${username} may not impersonate`
    : unaskedServiceAccount;
}

function refusalWords({ of, ...breach }: SubmittedBreach): string {
  return `${of}: ${breachWords(breach)}`;
}

function warningWords({ of, path, message }: SubmittedBreach): string {
  return `${of}: ${path}: ${message}`;
}

/** Missing objects may still be created: a flow waits for its JobTemplates, and a Pod for its node. */
function absences(review: Review, { templates, missingNodes }: SubmissionFacts): readonly string[] {
  const kind = kindOf(review);
  const meanings = kind.nodeNames?.(objectOf(review));
  const missing = Object.keys(templates).filter((name) => templates[name] === null);
  return [
    ...missing.map(
      (name) =>
        `there is no ${kind.templates?.resource.kind ?? 'template'} "${name}" in the namespace ${review.namespace} yet`,
    ),
    ...missingNodes.map((name) => `there is no node "${name}": ${meanings?.get(name) ?? ''}`),
  ];
}

function invalid(messages: readonly string[]): Denied {
  return { allowed: false, code: 422, reason: 'Invalid', message: listed(messages) };
}

function forbidden(messages: readonly string[]): Denied {
  return { allowed: false, code: 403, reason: 'Forbidden', message: listed(messages) };
}

/** Longer lists do not help a user. */
const mostShown = 10;
/** Further ones are counted but not compared: a flow may have tens of thousands of misspelt names. */
const mostCompared = 1_000;

function listed(messages: readonly string[]): string {
  const shown = [...new Set(messages.slice(0, mostCompared))];
  const rest = shown.length - mostShown + Math.max(0, messages.length - mostCompared);
  return [...shown.slice(0, mostShown), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}
