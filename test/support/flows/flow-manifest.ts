/** Builders of users' objects with defaults; a test states only what matters. */
import type { JobFlowSpec } from '#shared/api/job-flow.ts';
import type { JobSpec, PodSpec, PodTemplate } from '#shared/api/pod-template.ts';
import type { Manifest } from './cluster-api.ts';

const apiVersion = 'api.practice.com/v1alpha1';

/** Long enough for the test to end the Pod itself, see FlowWorld.endPod. */
export const untilEnded = '1h';

export interface Work {
  /** Running time of the container: a Go duration. Default 50ms. With `untilEnded` the test ends it. */
  readonly runFor?: string;
  /** Default 0. */
  readonly exitCode?: number;
  /** Fields of the JobSpec besides the Pod template. */
  readonly job?: Partial<Omit<JobSpec, 'template'>>;
  readonly pod?: Partial<PodSpec>;
  readonly podMetadata?: PodTemplate['metadata'];
}

type FlowEntry = JobFlowSpec['flows'][number];

export interface StepOptions
  extends Work, Pick<FlowEntry, 'retryPolicy' | 'startOn' | 'shareVolumes' | 'shareVolumeMounts'> {
  readonly after?: readonly string[];
  /** Uses this JobTemplate instead of its own template. */
  readonly ref?: string;
}

export interface FlowManifest extends Manifest {
  readonly spec: JobFlowSpec;
}

/** A JobSpec whose Pod runs in kwok for `runFor` and ends with `exitCode`. */
export function work({ runFor = '50ms', exitCode = 0, job, pod, podMetadata }: Work = {}): JobSpec {
  return {
    ...job,
    template: {
      metadata: {
        ...podMetadata,
        annotations: {
          ...podMetadata?.annotations,
          'simulate.millrace.dev/run-for': runFor,
          'simulate.millrace.dev/exit-code': String(exitCode),
        },
      },
      spec: { containers: [{ name: 'main', image: 'busybox:1.28' }], ...pod },
    },
  };
}

export function step(name: string, options: StepOptions = {}): FlowEntry {
  const { after, ref, retryPolicy, startOn, shareVolumes, shareVolumeMounts, ...rest } = options;
  return {
    name,
    ...(after === undefined ? {} : { dependencies: [...after] }),
    ...(ref === undefined ? { jobTemplate: work(rest) } : { jobTemplateRef: ref }),
    ...(retryPolicy === undefined ? {} : { retryPolicy }),
    ...(startOn === undefined ? {} : { startOn }),
    ...(shareVolumes === undefined ? {} : { shareVolumes }),
    ...(shareVolumeMounts === undefined ? {} : { shareVolumeMounts }),
  };
}

export function flow(
  name: string,
  flows: readonly FlowEntry[],
  spec: Omit<JobFlowSpec, 'flows'> = {},
): FlowManifest {
  return { apiVersion, kind: 'JobFlow', metadata: { name }, spec: { ...spec, flows } };
}

/** An invalid flow, which the other builders cannot make. */
export function malformedFlow(name: string, spec: unknown): Manifest {
  return { apiVersion, kind: 'JobFlow', metadata: { name }, spec };
}

export function jobTemplate(name: string, options: Work = {}): Manifest {
  return {
    apiVersion,
    kind: 'JobTemplate',
    metadata: { name },
    spec: { jobTemplate: work(options) },
  };
}

/** The graph of the original's five-job example; given steps replace its own. */
export function fiveJobs(name: string, replaced: readonly FlowEntry[] = []): FlowManifest {
  const steps = [
    step('job1'),
    step('job2', { after: ['job1'] }),
    step('job3', { after: ['job1', 'job2'] }),
    step('job4'),
    step('job5', { after: ['job4', 'job2'] }),
  ];
  const byName = new Map(replaced.map((entry) => [entry.name, entry]));
  return flow(
    name,
    steps.map((entry) => byName.get(entry.name) ?? entry),
  );
}
