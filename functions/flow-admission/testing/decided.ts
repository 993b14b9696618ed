/** Decisions about submitted objects, with facts that allow them. */
import type { AdmissionDecision } from '#shared/domain/admission-decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { defaultPolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';
import { decide } from '../decide.ts';
import type { SubmissionFacts } from '../facts.ts';
import { creation } from './reviews.ts';

export const facts: SubmissionFacts = {
  policy: defaultPolicy,
  mayCreateJobs: { allowed: true },
  mayImpersonate: {},
  templates: {},
  missingNodes: [],
  trials: { 0: { warnings: [] } },
};

export const decided = (
  object: JsonObject,
  known: Partial<SubmissionFacts> = {},
): AdmissionDecision => decide(creation(object), { ...facts, ...known });
export const except = (exceptions: PodPolicy['exceptions']): PodPolicy => ({
  ...defaultPolicy,
  exceptions,
});
export const messageOf = (decision: AdmissionDecision) =>
  decision.allowed ? undefined : `${decision.code} ${decision.reason}: ${decision.message}`;
export const warningsOf = ({ warnings = [] }: AdmissionDecision) => warnings;
