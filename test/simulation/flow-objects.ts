/** The manifests of a scenario. */
import type { JobFlow, JobFlowSpec } from '#shared/api/job-flow.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { ObjectStore } from '#sandbox';
import { priorityLabel, queueLabel } from '#shared/domain/queue-labels.ts';
import { queueName } from './queues/queue-plans.ts';
import { additions, podTemplate, type PodPlan } from './pod-plans.ts';
import type { FlowPlan, StepPlan } from './scenario.ts';

export const namespace = 'default';

/** The poison flow cannot end. */
export function flowsOf(store: ObjectStore): readonly JobFlow[] {
  const flows = store.list(resources.JobFlow) as unknown as readonly JobFlow[];
  return flows.filter(({ metadata }) => metadata.name !== 'poison');
}

export function flowObject(plan: FlowPlan): NewObject {
  return applied({
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: { name: plan.name, namespace, ...queueLabelsOf(plan) },
    spec: plan.poison === true ? { flows: poisonSteps } : flowSpec(plan),
  });
}

function queueLabelsOf({ queue }: FlowPlan): Pick<NewObject['metadata'], 'labels'> {
  if (queue === undefined) return {};
  return { labels: { [queueLabel]: queueName, [priorityLabel]: queue } };
}

/** As `kubectl apply` creates it, with the copy of the manifest that only kubectl reads. */
function applied(object: NewObject): NewObject {
  const copy = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(object) };
  return { ...object, metadata: { ...object.metadata, annotations: copy } };
}

/** Steps of an unexpected shape: one bad object must not stop the others (I11). */
const poisonSteps = [{ name: 'p', jobTemplate: { template: { spec: { containers: 7 } } } }, 5, {}];

function flowSpec(plan: FlowPlan): JobFlowSpec {
  const { failurePolicy, templatePolicy, suspendMode, suspend, ttlSeconds, steps } = plan;
  const { startDeadlineSeconds, parallelism, shutdown, deadlineSeconds } = plan;
  return {
    ...(failurePolicy === undefined ? {} : { failurePolicy }),
    ...(templatePolicy === undefined ? {} : { templatePolicy }),
    ...(suspendMode === undefined ? {} : { suspendMode }),
    ...(suspend === undefined ? {} : { suspend }),
    ...(ttlSeconds === undefined ? {} : { ttlSecondsAfterFinished: ttlSeconds }),
    ...(startDeadlineSeconds === undefined ? {} : { startDeadlineSeconds }),
    ...(parallelism === undefined ? {} : { parallelism }),
    ...(shutdown === undefined ? {} : { shutdown }),
    ...(deadlineSeconds === undefined ? {} : { activeDeadlineSeconds: deadlineSeconds }),
    ...(plan.adds === undefined ? {} : additions(plan.adds)),
    flows: steps.map((step) => flowStep(step, plan)),
  };
}

function flowStep(step: StepPlan, { queue }: FlowPlan): JobFlowSpec['flows'][number] {
  const { name, after, retries, ttlSeconds, template, startOn, pod } = step;
  return {
    name,
    ...(after.length === 0 ? {} : { dependencies: after }),
    ...(template === undefined
      ? { jobTemplate: charged(jobTemplate('busybox', ttlSeconds, pod), queue !== undefined) }
      : { jobTemplateRef: template }),
    ...(retries === 0 ? {} : { retryPolicy: retryPolicy(step) }),
    ...(startOn === undefined ? {} : { startOn }),
  };
}

/** Its demand on a quota. */
function charged(spec: JobSpec, isQueued: boolean): JobSpec {
  if (!isQueued) return spec;
  const { metadata, spec: pod } = spec.template;
  const [main, ...others] = pod.containers;
  const containers = [{ ...main!, resources: { requests: { cpu: '1' } } }, ...others];
  return { ...spec, template: { ...(metadata && { metadata }), spec: { ...pod, containers } } };
}

function retryPolicy({ retries, backoffSeconds, factor, capSeconds }: StepPlan) {
  return {
    limit: retries,
    backoffSeconds,
    ...(factor === undefined ? {} : { factor }),
    ...(capSeconds === undefined ? {} : { capSeconds }),
  };
}

export function jobTemplate(image: string, ttlSeconds?: number, pod: PodPlan = 'plain'): JobSpec {
  return {
    ...(ttlSeconds === undefined ? {} : { ttlSecondsAfterFinished: ttlSeconds }),
    template: podTemplate(pod, image),
  };
}

export function templateObject(name: string, image: string, ttlSeconds?: number): NewObject {
  return applied({
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobTemplate',
    metadata: { name, namespace },
    spec: { jobTemplate: jobTemplate(image, ttlSeconds) },
  });
}

/** A foreign Job under the name of a step's Job. */
export function foreignJob(name: string): NewObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace },
    spec: jobTemplate('foreign'),
  };
}
