/**
 * Whether a node can run the Pod, by Kubernetes' rules: what the template selects, and what keeps Pods
 * without a toleration away. The scheduler checks free capacity.
 */
import type { DaemonJobSpec } from '#shared/api/daemon-job.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

interface NodeParts {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

interface PodParts {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly {
    readonly key?: string;
    readonly operator?: string;
    readonly value?: string;
    readonly effect?: string;
  }[];
}

export interface Obstacle {
  readonly reason: string;
  readonly mentions?: readonly string[];
}

/** Undefined: the node can run it. */
export function obstacleOf(spec: DaemonJobSpec, node: KubeObject): Obstacle | undefined {
  const pod = spec.template.spec as PodParts;
  const { labels = {}, deletionTimestamp } = node.metadata;
  const selected = Object.entries(pod.nodeSelector ?? {});
  if (!selected.every(([key, value]) => labels[key] === value)) return { reason: 'Unselected' };
  if (deletionTimestamp !== undefined) return { reason: 'Deleting' };
  if (spec.eligibility === 'All') return undefined;
  const [first] = taintsOf(node).filter(({ taint }) => !isTolerated(pod, taint));
  return first;
}

/** A cordon and missing reports keep Pods away like the taints that Kubernetes sets for them. */
function taintsOf(node: KubeObject): readonly (Obstacle & { readonly taint: Taint })[] {
  const { taints = [], unschedulable } = (node as NodeParts).spec ?? {};
  const ready = readinessOf(node);
  const state = (word: string): Taint => ({
    key: `node.kubernetes.io/${word}`,
    effect: 'NoSchedule',
  });
  return [
    ...(unschedulable === true ? [{ reason: 'Cordoned', taint: state('unschedulable') }] : []),
    ...(ready === 'Unknown' ? [{ reason: 'Unreachable', taint: state('unreachable') }] : []),
    ...(ready === 'True' || ready === 'Unknown'
      ? []
      : [{ reason: 'NotReady', taint: state('not-ready') }]),
    ...taints
      .filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute')
      .map((taint) => ({ reason: 'Tainted', mentions: [taint.key], taint })),
  ];
}

function isTolerated({ tolerations = [] }: PodParts, taint: Taint): boolean {
  return tolerations.some(({ key, operator = 'Equal', value = '', effect }) => {
    if (effect !== undefined && effect !== taint.effect) return false;
    if (key === undefined) return operator === 'Exists';
    return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
  });
}

function readinessOf(node: KubeObject): string | undefined {
  const { conditions = [] } = (node as NodeParts).status ?? {};
  return conditions.find(({ type }) => type === 'Ready')?.status;
}

/** It does not report Ready, so its state is unknown. */
export function isSilent(node: KubeObject): boolean {
  return readinessOf(node) !== 'True';
}

export function excludedBy({ excludeNodeList = '' }: DaemonJobSpec): ReadonlySet<string> {
  const names = excludeNodeList.split(',').map((name) => name.trim());
  return new Set(names.filter((name) => name.length > 0));
}
