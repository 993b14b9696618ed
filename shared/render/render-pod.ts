/**
 * The Pod of a step with the flow's additions. On a conflict the step wins. Of the step only its
 * restartPolicy is dropped (rules 2, 7, 8). Requires a template that passes `templateFault`.
 */
import { jobFlowDefaults, type FlowStep, type JobFlowSpec } from '#shared/api/job-flow.ts';
import type { Container, EnvVar, PodSpec, Volume, VolumeMount } from '#shared/api/pod-template.ts';
import { merged, mergedEnv, pathOf } from './merge-lists.ts';
import { bindToNode } from './node-binding.ts';

export function renderPodSpec(spec: JobFlowSpec, step: FlowStep, pod: PodSpec): PodSpec {
  const additions: Additions = {
    env: spec.globalParams?.env ?? [],
    mounts: merged(step.shareVolumeMounts, spec.shareVolumeMounts, pathOf),
  };
  const volumes = merged(
    pod.volumes,
    merged(step.shareVolumes, spec.shareVolumes, (volume) => volume.name),
    (volume: Volume) => volume.name,
  );
  const rendered: PodSpec = {
    ...pod,
    restartPolicy: 'Never',
    containers: withAdditions(pod.containers, additions),
    ...(pod.initContainers === undefined
      ? {}
      : { initContainers: withAdditions(pod.initContainers, additions) }),
    ...(volumes.length === 0 ? {} : { volumes }),
  };
  const { nodeName, nodeBinding } = spec.globalParams ?? {};
  if (nodeName === undefined || nodeName === '') return rendered;
  return bindToNode(rendered, nodeName, nodeBinding ?? jobFlowDefaults.nodeBinding);
}

export interface Additions {
  readonly env: readonly EnvVar[];
  readonly mounts: readonly VolumeMount[];
}

/** Additions to every container. */
export function withAdditions(
  containers: readonly Container[],
  additions: Additions,
): readonly Container[] {
  return containers.map((container) => {
    const env = mergedEnv(container.env, additions.env);
    const volumeMounts = merged(container.volumeMounts, additions.mounts, pathOf);
    return {
      ...container,
      ...(env.length === 0 ? {} : { env }),
      ...(volumeMounts.length === 0 ? {} : { volumeMounts }),
    };
  });
}
