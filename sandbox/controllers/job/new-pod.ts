/** The Pod that a Job creates from its template. */
import { isIndexed, type Job } from '../objects/job.ts';
import { type Container, type Pod, type PodSpec, trackingFinalizer } from '../objects/pod.ts';
import type { WrittenObject } from '../writes.ts';
import { failureAnnotations } from './index-failures.ts';
import { completionIndexAnnotation } from './job-sync.ts';

// metadata.name of 63 characters less the five random ones.
const longestPrefix = 58;
const indexVariable = 'JOB_COMPLETION_INDEX';

/** `replaced` is the failed Pod whose index the new one takes over. */
export function newPod(
  job: Job,
  index: number | undefined,
  replaced: Pod | undefined,
): WrittenObject & { readonly spec: PodSpec } {
  const { metadata = {}, spec } = job.spec.template;
  const { labels = {}, annotations = {}, finalizers = [] } = metadata;
  const ofIndex = index === undefined ? {} : { [completionIndexAnnotation]: String(index) };
  const allAnnotations = {
    ...annotations,
    ...ofIndex,
    ...(index === undefined ? {} : failureAnnotations(job, replaced)),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: namePrefix(job.metadata.name, index),
      namespace: job.metadata.namespace,
      labels: { ...labels, ...ofIndex },
      ...(Object.keys(allAnnotations).length > 0 && { annotations: allAnnotations }),
      finalizers: [...finalizers.filter((name) => name !== trackingFinalizer), trackingFinalizer],
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          name: job.metadata.name,
          uid: job.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: isIndexed(job) ? indexedSpec(job, spec, index) : { ...spec },
  };
}

function namePrefix(jobName: string, index: number | undefined): string {
  if (index === undefined) return `${jobName}-`;
  const suffix = `-${index}-`;
  return jobName.slice(0, longestPrefix - suffix.length) + suffix;
}

function indexedSpec(job: Job, spec: PodSpec, index: number | undefined): PodSpec {
  return {
    ...spec,
    ...(index !== undefined && { hostname: `${job.metadata.name}-${index}` }),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(withIndexVariable) }),
    containers: spec.containers.map(withIndexVariable),
  };
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldPath = `metadata.labels['${completionIndexAnnotation}']`;
  const variable = { name: indexVariable, valueFrom: { fieldRef: { fieldPath } } };
  return { ...container, env: [...env, variable] };
}
