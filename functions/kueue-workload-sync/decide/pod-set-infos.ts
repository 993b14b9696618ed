/** The fields that an admission gives to the Pods of each podSet (kueue, pkg/podset/podset.go). */
import type { PodSetInfo } from '#shared/api/pod-set-info.ts';
import type { AdmittedPodSet } from '#shared/api/work/queueing/queueing.ts';
import { stableJson } from '#shared/domain/hash.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { Json } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { isDns1123Label } from '#shared/domain/names.ts';
import { kueuePrefix } from '#shared/domain/queue-labels.ts';
import type { Flavor, QueueSnapshot } from '../snapshot.ts';
import type { PodSetAssignment, PodSetUpdate, Workload } from '../workload.ts';

type Texts = Readonly<Record<string, string>>;

/** `conflict`: waiting does not help. `missing`: a ResourceFlavor does not exist, or not yet. */
export type Infos =
  | { readonly kind: 'admitted'; readonly podSets: readonly AdmittedPodSet[] }
  | { readonly kind: 'conflict' | 'missing'; readonly message: string };

export function podSetInfos(workload: Workload, flavors: QueueSnapshot['flavors']): Infos {
  const { admission } = workload.status ?? {};
  const assignments = admission?.podSetAssignments ?? [];
  if (assignments.length !== workload.spec.podSets.length) {
    const message = `the admission assigns ${assignments.length} podSets of ${workload.spec.podSets.length}`;
    return { kind: 'conflict', message };
  }
  const podSets: AdmittedPodSet[] = [];
  for (const assignment of assignments) {
    const parts = partsFor(workload, assignment, flavors);
    if (typeof parts === 'string') return { kind: 'missing', message: parts };
    const info = united(assignment.name, parts);
    const conflict = info.conflict ?? conflictWithTemplate(workload, info.info);
    if (conflict !== undefined) return { kind: 'conflict', message: conflict };
    const count = assignment.count ?? countOf(workload, assignment.name);
    podSets.push({ info: info.info, count });
  }
  return { kind: 'admitted', podSets };
}

function countOf({ spec }: Workload, podSet: string): number {
  return spec.podSets.find(({ name }) => name === podSet)?.count ?? 0;
}

const topologyGate = { name: `${kueuePrefix}topology` };

/** Modes of a topology request. Without one of them, the Pods need `unconstrained`. */
const modes = ['required', 'preferred', 'unconstrained'] as const;

type Part = Omit<PodSetUpdate, 'name'> & { readonly schedulingGates?: readonly { name: string }[] };

/** A string says why the parts are unknown. */
function partsFor(
  { metadata, spec, status }: Workload,
  { name, flavors: assigned = {}, topologyAssignment }: PodSetAssignment,
  flavors: QueueSnapshot['flavors'],
): readonly Part[] | string {
  const { clusterQueue = '' } = status?.admission ?? {};
  const isPlaced = topologyAssignment !== undefined && topologyAssignment !== null;
  const request = spec.podSets.find((each) => each.name === name)?.topologyRequest ?? {};
  const parts: Part[] = [
    {
      annotations: {
        [`${kueuePrefix}workload`]: metadata.name,
        ...(isPlaced && !modes.some((mode) => mode in request)
          ? { [`${kueuePrefix}podset-unconstrained-topology`]: 'true' }
          : {}),
      },
      labels: {
        [`${kueuePrefix}podset`]: name,
        ...(spec.queueName === undefined
          ? {}
          : { [`${kueuePrefix}local-queue-name`]: spec.queueName }),
        ...(isDns1123Label(clusterQueue)
          ? { [`${kueuePrefix}cluster-queue-name`]: clusterQueue }
          : {}),
      },
      ...(isPlaced ? { schedulingGates: [topologyGate] } : {}),
    },
  ];
  for (const flavorName of new Set(Object.values(assigned))) {
    const flavor: Flavor | null | undefined = ownMember(flavors, flavorName);
    if (flavor === undefined || flavor === null) {
      return `there is no ResourceFlavor "${flavorName}"`;
    }
    const { nodeLabels: nodeSelector = {}, tolerations = [] } = flavor;
    parts.push({ nodeSelector, tolerations });
  }
  const updates = (status?.admissionChecks ?? []).flatMap((check) => check.podSetUpdates ?? []);
  return [...parts, ...updates.filter((update) => update.name === name)];
}

interface United {
  readonly info: PodSetInfo;
  /** Two parts give one key different values. */
  readonly conflict?: string;
}

const maps = ['labels', 'annotations', 'nodeSelector'] as const;
const lists = ['tolerations', 'schedulingGates'] as const;

function united(name: string, parts: readonly Part[]): United {
  let conflict: string | undefined;
  const info: Record<string, unknown> = { name };
  for (const field of maps) {
    const all: Record<string, string> = {};
    for (const part of parts) {
      conflict ??= conflictBetween(all, part[field], `podSet "${name}": ${field}`);
      Object.assign(all, part[field]);
    }
    if (Object.keys(all).length > 0) info[field] = all;
  }
  for (const field of lists) {
    const all = parts.flatMap((part): readonly Json[] => part[field] ?? []);
    const different = new Map(all.map((each) => [stableJson(each), each]));
    if (different.size > 0) info[field] = [...different.values()];
  }
  return { info: info as unknown as PodSetInfo, ...(conflict === undefined ? {} : { conflict }) };
}

function conflictWithTemplate({ spec }: Workload, info: PodSetInfo): string | undefined {
  const template = spec.podSets.find(({ name }) => name === info.name)?.template;
  const metadata = fieldsOf(template?.['metadata']);
  const pod = fieldsOf(template?.['spec']);
  const where = (field: string) => `podSet "${info.name}": ${field}`;
  return (
    conflictBetween(textsOf(metadata['labels']), info.labels, where('labels')) ??
    conflictBetween(textsOf(metadata['annotations']), info.annotations, where('annotations')) ??
    conflictBetween(textsOf(pod['nodeSelector']), info.nodeSelector, where('nodeSelector'))
  );
}

function conflictBetween(
  own: Texts,
  assigned: Texts | undefined,
  where: string,
): string | undefined {
  const key = Object.keys(assigned ?? {}).find((each) => {
    const known = ownMember(own, each);
    return known !== undefined && known !== ownMember(assigned, each);
  });
  if (key === undefined) return undefined;
  const values = [own, assigned].map((texts) => `"${ownMember(texts, key) ?? ''}"`);
  return `${where}: "${key}" is to be ${values.join(' and ')}`;
}

function textsOf(value: Json | undefined): Texts {
  return fieldsOf(value) as Texts;
}
