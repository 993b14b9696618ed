/** The expected content of a node's Job. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { Container, PodSpec } from '#shared/api/pod-template.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { Json, NewObject } from '#shared/domain/objects.ts';
import { differs, toleratesDisruption } from '../../model/created-job.ts';
import { without } from '../../model/look.ts';
import { jobName } from './job-name.ts';
import type { NodeState } from './node-states.ts';

interface JobSpec {
  readonly template: {
    readonly metadata?: Partial<Record<'labels' | 'annotations', Readonly<Record<string, string>>>>;
    readonly spec: PodSpec;
  };
}

export function createdJobFaults(
  { apiVersion, kind, metadata: { name, uid }, spec: said }: DaemonJob,
  { node, attempt }: NodeState,
  { metadata, spec }: NewObject,
): readonly string[] {
  const { globalParams, template, backoffLimit, podFailurePolicy, podReplacementPolicy } = said;
  const { template: pods, ...rest } = spec as JobSpec;
  const ours = {
    [labels.daemonJob]: name,
    [labels.ownerUid]: uid,
    [labels.nodeUid]: node.metadata.uid,
    [labels.attempt]: String(attempt),
  };
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  const place = { [annotations.nodeName]: node.metadata.name };
  const { labels: everywhere, annotations: notes } = globalParams ?? {};
  return [
    ...differs('owners', [owner], metadata.ownerReferences),
    ...differs('labels', { ...everywhere, ...ours }, metadata.labels),
    ...differs('annotations', { ...notes, ...place }, metadata.annotations),
    ...differs(
      'labels of its Pods',
      { ...everywhere, ...template.metadata?.labels, ...ours },
      pods.metadata?.labels,
    ),
    ...differs(
      'annotations of its Pods',
      { ...notes, ...template.metadata?.annotations },
      pods.metadata?.annotations ?? {},
    ),
    ...differs(
      'spec',
      {
        backoffLimit: backoffLimit ?? 0,
        podFailurePolicy:
          podFailurePolicy ??
          (podReplacementPolicy === 'TerminatingOrFailed' ? undefined : toleratesDisruption),
        podReplacementPolicy,
      },
      rest,
    ),
    ...differs('Pods', podOn(node.metadata.name, said), pods.spec),
  ].map(
    (fault) =>
      `${jobName({ metadata: { name } } as DaemonJob, node.metadata.name, attempt)}: ${fault}`,
  );
}

/** Through the scheduler to its node. With eligibility All, the Pod tolerates everything. */
function podOn(node: string, { template, globalParams, eligibility }: DaemonJob['spec']): PodSpec {
  const { spec: pod } = template;
  const { tolerations = [] } = pod as { readonly tolerations?: readonly Json[] };
  const there = { key: 'metadata.name', operator: 'In', values: [node] };
  const filled = (container: Container): Container => {
    const own = container.env ?? [];
    const added = (globalParams?.env ?? []).filter(
      (each) => !own.some((other) => other.name === each.name),
    );
    const env = [...added, ...own];
    return { ...container, ...(env.length === 0 ? {} : { env }) };
  };
  return {
    ...without(pod, 'nodeName'),
    ...(eligibility === 'All' ? { tolerations: [...tolerations, { operator: 'Exists' }] } : {}),
    restartPolicy: 'Never',
    containers: pod.containers.map(filled),
    ...(pod.initContainers === undefined ? {} : { initContainers: pod.initContainers.map(filled) }),
    affinity: {
      ...pod.affinity,
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [there] }],
        },
      },
    },
  };
}
