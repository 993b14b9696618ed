/** v1 Node as the controllers read it. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { Requirement } from '../../apimachinery/label-selector.ts';
import type { ResourceList } from './resource-list.ts';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface NodeCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
}

export interface NodeStatus {
  readonly capacity?: ResourceList;
  readonly allocatable?: ResourceList;
  readonly conditions?: readonly NodeCondition[];
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly nodeInfo?: Readonly<Record<string, string>>;
}

export interface Node extends KubeObject {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
    readonly podCIDR?: string;
  };
  readonly status?: NodeStatus;
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

/** The object of a store that holds only valid Nodes. */
export const asNode = (object: KubeObject): Node => object as Node;

/** `Unknown` also before the first report. */
export function readiness({ status }: Node): 'True' | 'False' | 'Unknown' {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown';
}
