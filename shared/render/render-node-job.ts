/** The Job of a DaemonJob on one node. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { PodSpec } from '#shared/api/pod-template.ts';
import { isObject, listOf } from '#shared/domain/json-value.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { nodeJobName } from '#shared/domain/node-job-name.ts';
import type { Json, JsonObject, Uid } from '#shared/domain/objects.ts';
import type { CreateOperation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { failurePolicyOf } from './failure-policy.ts';
import { withPodSetInfo } from './pod-sets.ts';
import { nonEmpty, ofUser, type StringMap } from './render-job.ts';
import { withAdditions } from './render-pod.ts';

export interface NodeAttempt {
  readonly node: { readonly name: string; readonly uid: Uid };
  readonly attempt: number;
}

export function renderNodeJob(daemonJob: DaemonJob, attempt: NodeAttempt): CreateOperation {
  const { metadata, spec, apiVersion, kind } = daemonJob;
  const { name, uid } = metadata;
  const ours = ourLabels(daemonJob, attempt);
  const onNode = { [annotations.nodeName]: attempt.node.name };
  return {
    kind: 'create',
    resource: resources.Job,
    ownerUid: uid,
    object: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: nodeJobName(name, attempt.node.name, attempt.attempt),
        ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
        labels: { ...ofUser(spec.globalParams?.labels), ...ours },
        annotations: {
          ...ofUser(spec.globalParams?.annotations),
          ...onNode,
          ...placedAnnotation(spec),
        },
        ownerReferences: [
          { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true },
        ],
      },
      spec: {
        backoffLimit: spec.backoffLimit ?? 0,
        ...failurePolicyOf(spec),
        ...(spec.podReplacementPolicy === undefined
          ? {}
          : { podReplacementPolicy: spec.podReplacementPolicy }),
        template: renderTemplate(daemonJob, attempt, ours),
      },
    },
  };
}

/** The placement before Kueue's: another admission may place the Pods elsewhere. */
function placedAnnotation(spec: DaemonJob['spec']): StringMap {
  if (spec.podSetInfos?.[0] === undefined) return {};
  const { nodeSelector, tolerations } = everyNodesPod(spec);
  return { [annotations.placed]: JSON.stringify({ nodeSelector, tolerations }) };
}

function ourLabels({ metadata }: DaemonJob, { node, attempt }: NodeAttempt): StringMap {
  return {
    [labels.daemonJob]: metadata.name,
    [labels.ownerUid]: metadata.uid,
    [labels.nodeUid]: node.uid,
    [labels.attempt]: String(attempt),
  };
}

function renderTemplate({ spec }: DaemonJob, { node }: NodeAttempt, ours: StringMap): JsonObject {
  const { template, globalParams } = spec;
  const own = template.metadata;
  const rendered = {
    ...template,
    metadata: {
      ...own,
      labels: { ...ofUser(globalParams?.labels), ...ofUser(own?.labels), ...ours },
      ...nonEmpty('annotations', {
        ...ofUser(globalParams?.annotations),
        ...ofUser(own?.annotations),
      }),
    },
    spec: renderPod(spec, node.name),
  };
  return withPodSetInfo(rendered, spec.podSetInfos?.[0]);
}

/** Through the scheduler, which queues the Pod while the node is full, as DaemonSet does. */
function renderPod(spec: DaemonJob['spec'], node: string) {
  return { ...everyNodesPod(spec), affinity: pinnedTo(node, spec.template.spec.affinity) };
}

/** The parts that are equal on all nodes. */
export function everyNodesPod({ globalParams, eligibility, template }: DaemonJob['spec']): PodSpec {
  const pod = template.spec;
  const rest = Object.entries(pod).filter(([name]) => name !== 'nodeName');
  const additions = { env: globalParams?.env ?? [], mounts: [] };
  const tolerations = eligibility === 'All' ? { tolerations: withEvery(pod['tolerations']) } : {};
  return {
    ...Object.fromEntries(rest),
    ...tolerations,
    restartPolicy: 'Never',
    containers: withAdditions(pod.containers, additions),
    ...(pod.initContainers === undefined
      ? {}
      : { initContainers: withAdditions(pod.initContainers, additions) }),
  };
}

function withEvery(tolerations: Json | undefined): readonly Json[] {
  return [...listOf(tolerations), { operator: 'Exists' }];
}

/** The user's terms were applied when the node was chosen. */
function pinnedTo(node: string, affinity: JsonObject | undefined): JsonObject {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  return {
    ...(isObject(affinity ?? null) ? affinity : {}),
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}
