/** Decisions and reviews about the costliest objects, each with a plain object for comparison. */
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import { ineligibility } from '#shared/domain/node-eligibility.ts';
import type { NodeFacts } from '#shared/domain/node-facts.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { storedPlan } from '#shared/journal/stored-plan.ts';
import { selects } from '#shared/suspension/selection.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import type { ClusterSuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import type { FlowStep } from '#shared/api/job-flow.ts';
import { decide as decideDaemon } from '#functions/daemon-fanout/decide.ts';
import * as daemons from '#functions/daemon-fanout/testing/builders.ts';
import { decide as reviewFlow } from '#functions/flow-admission/decide.ts';
import { recordSubmitter } from '#functions/flow-admission/record-submitter.ts';
import * as submissions from '#functions/flow-admission/testing/reviews.ts';
import { decide as decideFlow } from '#functions/flow-advance/decide.ts';
import * as flows from '#functions/flow-advance/testing/builders.ts';
import { checkPolicy } from '#functions/suspend-admission/check-policy.ts';
import { PolicyBook } from '#functions/suspend-admission/policy-book.ts';
import { decide as decidePolicy } from '#functions/suspend-schedule/decide.ts';
import * as policies from '#functions/suspend-schedule/testing/builders.ts';
import {
  misspeltSteps,
  plainPolicy,
  plainSteps,
  widestSteps,
  wideLabels,
  wideRequests,
  worstPolicy,
  worstSteps,
} from './worst-objects.ts';

export interface CostCase {
  readonly name: string;
  /** Made anew for each run, so that nothing remembered about an object counts. */
  readonly worst: () => () => unknown;
  readonly plain: () => () => unknown;
}

type Spec = ClusterSuspendPolicySpec;
type Steps = () => readonly FlowStep[];

const templates = { t: flows.template('t') };
const moment = { nowMs: flows.t0 };

/** The first decision on a flow validates it and starts what may start. */
const acceptance = (steps: Steps) => () => {
  const seen = flows.snapshot(flows.flow(steps()), { templates });
  return () => decideFlow(seen, moment);
};

/** Every container of its Jobs gets all variables of the flow. */
const widening =
  (steps: Steps, wide: { readonly containers: number; readonly env: number }) => () => {
    const { spec, ...rest } = flows.flow(steps());
    const env = Array.from({ length: wide.env }, (_, index) => ({ name: `V${index}`, value: 'x' }));
    const containers = Array.from({ length: wide.containers }, (_, index) => ({
      ...{ name: `c${index}`, image: 'busybox' },
      env: env.slice(0, 100),
    }));
    const t = flows.template('t', { template: { spec: { containers } } });
    const flow = { ...rest, spec: { ...spec, globalParams: { env } } };
    const seen = flows.snapshot(flow, { templates: { t } });
    return () => decideFlow(seen, moment);
  };

/** The same flow with the writes of that decision, before any Job is visible. */
const continuation = (steps: Steps) => () => {
  const of = steps();
  const { plan } = decideFlow(flows.snapshot(flows.flow(of), { templates }), moment);
  const patch = plan.flat().find((operation) => operation.kind === 'patchStatus');
  const status = applyMergePatch({}, patch?.status ?? {}) as object;
  const seen = flows.snapshot(flows.flow(of, { status }), { templates });
  return () => decideFlow(seen, moment);
};

const facts = {
  policy: defaultPolicy,
  mayCreateJobs: { allowed: true },
  mayImpersonate: {},
  templates: { t: { template: { spec: { containers: [submissions.container] } } } },
  missingNodes: [],
  trials: { 0: { warnings: [] } },
} as unknown as Parameters<typeof reviewFlow>[1];

const submission = (steps: Steps) => () => {
  const review = submissions.creation(submissions.flow(steps()));
  return () => reviewFlow(review, facts);
};

/** Its first review, with hints at misspelt names. */
const reception = (steps: Steps) => () => {
  const review = submissions.submitted(submissions.flow(steps()));
  return () => recordSubmitter.decide(review, { facts: undefined, nowMs: flows.t0 });
};

const lookAtPolicy = (spec: () => Spec) => () => {
  const objects = [policies.job('a', { requests: wideRequests })];
  const seen = policies.snapshot(policies.policy(spec()), objects);
  return () => decidePolicy(seen, { nowMs: policies.t0 });
};

const reviewOfPolicy = (spec: () => Spec) => () => {
  const review = submissions.submitted(submissions.flow([]));
  const object = { spec: spec() as unknown as JsonObject };
  return () => checkPolicy.decide({ ...review, object }, { facts: undefined, nowMs: policies.t0 });
};

/** Followed policies are checked at the creation of each Job. */
const opening = (spec: () => Spec) => () => {
  const book = new PolicyBook();
  const followed = policies.policy(spec());
  book.note(followed, policies.t0);
  return () => book.openingOf(followed, policies.t0 + 1);
};

const selection = (spec: () => Spec) => () => {
  const policy = { ...policies.policy(spec()), kind: 'ClusterSuspendPolicy' };
  const object = { kind: 'Job' as const, namespace: 'default', labels: wideLabels };
  return () => selects(policy, object, { labelsOf: () => wideLabels, exempt: [] });
};

const nodes = (count: number) => () => {
  const seen = daemons.snapshot(daemons.daemonJob(), {
    nodes: Array.from({ length: count }, (_, index) => `node-${index}`),
  });
  return () => decideDaemon(seen, { nowMs: daemons.t0 });
};

const nodeFactsOf = (name: string): NodeFacts => ({
  ...{ name, labels: { pool: 'batch' }, taints: [{ key: 'own', value: '', effect: 'NoSchedule' }] },
  ...{ ready: 'True', isUnschedulable: false, isDeleting: false },
});

/** Whether each of 5,000 nodes can run a Pod with so many requirements; only the last one fails. */
const eligibility = (requirements: number, tolerations: number) => () => {
  const expression = { key: 'pool', operator: 'NotIn', values: ['other'] };
  const matchExpressions = Array.from({ length: requirements }, () => expression);
  const required = { nodeSelectorTerms: [{ matchExpressions }] };
  const toleration = { key: 'another', operator: 'Exists' };
  const pod = {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    tolerations: Array.from({ length: tolerations }, () => toleration),
  };
  const all = Array.from({ length: 5_000 }, (_, index) => nodeFactsOf(`node-${index}`));
  return () => all.map((node) => ineligibility(node, pod, false));
};

const largeTemplate = (name: string, characters: number) => {
  const containers = [{ name: 'main', image: 'busybox', args: [name.repeat(characters)] }];
  return flows.template(name, { template: { spec: { containers } } });
};

/** Steps that alternate between two templates, so that no Job resembles the one before it. */
const alternation = (count: number, characters: number) => () => {
  const x = largeTemplate('x', characters);
  const y = largeTemplate('y', characters);
  const steps = Array.from({ length: count }, (_, index) => ({
    name: `s${index}`,
    jobTemplateRef: index % 2 === 0 ? 'x' : 'y',
  }));
  const snapshot = flows.snapshot(flows.flow(steps), { templates: { x, y } });
  return () => {
    const { plan } = decideFlow(snapshot, moment);
    const base = { latest: new Map(), snapshot: {}, uid: flows.flowUid };
    return JSON.stringify(storedPlan(base, plan).plan);
  };
};

export const costCases: readonly CostCase[] = [
  {
    name: 'decision about a new flow of the most steps and edges',
    worst: acceptance(worstSteps),
    plain: acceptance(plainSteps),
  },
  {
    name: 'next decision about it',
    worst: continuation(worstSteps),
    plain: continuation(plainSteps),
  },
  {
    name: 'decision that starts the most steps at once',
    worst: acceptance(widestSteps),
    plain: acceptance(plainSteps),
  },
  {
    name: 'decision that starts steps of many containers and global variables',
    worst: widening(widestSteps, { containers: 50, env: 3_000 }),
    plain: widening(plainSteps, { containers: 1, env: 1 }),
  },
  {
    name: 'review of the most steps and edges',
    worst: submission(worstSteps),
    plain: submission(plainSteps),
  },
  {
    name: 'review of the most misspelt dependencies',
    worst: submission(misspeltSteps),
    plain: submission(plainSteps),
  },
  {
    name: 'hints for the most misspelt dependencies',
    worst: reception(misspeltSteps),
    plain: reception(plainSteps),
  },
  {
    name: 'first decision about a policy',
    worst: lookAtPolicy(worstPolicy),
    plain: lookAtPolicy(plainPolicy),
  },
  {
    name: 'review of a policy',
    worst: reviewOfPolicy(worstPolicy),
    plain: reviewOfPolicy(plainPolicy),
  },
  {
    name: 'what a policy says, in the review of a Job',
    worst: opening(worstPolicy),
    plain: opening(plainPolicy),
  },
  {
    name: 'whether a policy selects a Job',
    worst: selection(worstPolicy),
    plain: selection(plainPolicy),
  },
  {
    name: 'decision about steps of two templates of a megabyte, as recorded',
    worst: alternation(5_000, 1_048_576),
    plain: alternation(3, 1),
  },
  { name: 'decision about a DaemonJob for 5,000 nodes', worst: nodes(5_000), plain: nodes(3) },
  {
    name: 'which of 5,000 nodes a Pod with the most requirements can run on',
    worst: eligibility(63, 0),
    plain: eligibility(1, 1),
  },
  {
    name: 'which of 5,000 nodes a Pod with the most tolerations can run on',
    worst: eligibility(1, 62),
    plain: eligibility(1, 1),
  },
];
