/** Random flows and the results of their Jobs, for property tests. */
import fc from 'fast-check';
import type { FlowStep, JobFlow, JobFlowSpec } from '#shared/api/job-flow.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { busybox, flow, step } from './builders.ts';

export interface RandomStep {
  readonly name: string;
  readonly after: readonly string[];
  readonly retries: number;
  /** Number of failing attempts. The next one succeeds. */
  readonly failures: number;
  readonly hasTtl: boolean;
}

export interface RandomFlow {
  /** Sorted by dependencies. The spec has them in another order. */
  readonly steps: readonly RandomStep[];
  readonly order: readonly number[];
  readonly failurePolicy: NonNullable<JobFlowSpec['failurePolicy']>;
}

export interface RandomFlowOptions {
  readonly policies?: readonly RandomFlow['failurePolicy'][];
  readonly withTtl?: boolean;
  /** Number of further independent steps that succeed. */
  readonly fillers?: number;
}

export function randomFlow({
  policies = ['ContinueIndependent', 'FailFast', 'CancelRunning'],
  withTtl = true,
  fillers = 0,
}: RandomFlowOptions = {}): fc.Arbitrary<RandomFlow> {
  return fc.integer({ min: 1, max: 8 }).chain((size) =>
    fc.record({
      steps: fc
        .tuple(...Array.from({ length: size }, (_, index) => randomStep(index, withTtl)))
        .map((steps) => [...steps, ...fillerSteps(fillers)]),
      order: fc.shuffledSubarray([...Array(size + fillers).keys()], { minLength: size + fillers }),
      failurePolicy: fc.constantFrom(...policies),
    }),
  );
}

function fillerSteps(count: number): readonly RandomStep[] {
  const plain = { after: [], retries: 0, failures: 0, hasTtl: false };
  return Array.from({ length: count }, (_, index) => ({ name: `filler${index}`, ...plain }));
}

function randomStep(index: number, withTtl: boolean): fc.Arbitrary<RandomStep> {
  const earlier = Array.from({ length: index }, (_, before) => `s${before}`);
  return fc.record({
    name: fc.constant(`s${index}`),
    after: fc.subarray(earlier, { maxLength: Math.min(3, index) }),
    retries: fc.constantFrom(0, 0, 1, 2),
    failures: fc.constantFrom(0, 0, 0, 1, 2, 3),
    hasTtl: withTtl ? fc.boolean() : fc.constant(false),
  });
}

export function asFlow(random: RandomFlow): JobFlow {
  const steps = random.steps.map(asStep);
  const flows = random.order.flatMap((index) => steps[index] ?? []);
  return flow(flows, { spec: { failurePolicy: random.failurePolicy } });
}

function asStep({ name, after, retries, hasTtl }: RandomStep): FlowStep {
  return step(name, {
    after,
    retryPolicy: { limit: retries, backoffSeconds: 7 },
    ...(hasTtl ? { jobTemplate: { ...busybox, ttlSecondsAfterFinished: 0 } } : {}),
  });
}

/** The result of this Job, by its step and attempt. */
export function resultOf({ steps }: RandomFlow, { metadata }: KubeObject): 'Complete' | 'Failed' {
  const name = metadata.labels?.[labels.step];
  const attempt = Number(metadata.labels?.[labels.attempt]);
  const failures = steps.find((candidate) => candidate.name === name)?.failures ?? 0;
  return attempt < failures ? 'Failed' : 'Complete';
}

/** The end of each step under ContinueIndependent, computed from the graph alone. */
export function expectedStates({ steps }: RandomFlow): Readonly<Record<string, string>> {
  const states = new Map<string, string>();
  for (const { name, after, failures, retries } of steps) {
    const isReachable = after.every((dependency) => states.get(dependency) === 'Succeed');
    const ownState = failures <= retries ? 'Succeed' : 'Failed';
    states.set(name, isReachable ? ownState : 'Skipped');
  }
  return Object.fromEntries(states);
}
