/** The virtual nodes of a sandbox, and additions to nodes that users create. */
import type { NewObject } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { Node, NodeCondition, NodeStatus } from '../objects/node.ts';
import { addressFrom } from '../pod/pod-address.ts';

/** The capacity of a node whose creator sets none. */
export const nodeResources = {
  cpu: '8',
  memory: '32Gi',
  'ephemeral-storage': '100Gi',
  pods: '110',
} as const;

export function newNode(name: string): NewObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'beta.kubernetes.io/arch': 'amd64',
      },
    },
  };
}

/** The status with its missing parts. The same reference when none is missing. */
export function completedStatus(node: Node, nowMs: number): NodeStatus {
  const { status = {} } = node;
  const hasReady = status.conditions?.some(({ type }) => type === 'Ready') === true;
  if (hasReady && status.allocatable && status.addresses && status.nodeInfo) return status;
  const capacity = status.capacity ?? status.allocatable ?? nodeResources;
  return {
    ...status,
    capacity,
    allocatable: status.allocatable ?? capacity,
    conditions: hasReady
      ? (status.conditions ?? [])
      : [...(status.conditions ?? []), ...healthyConditions(status.conditions ?? [], nowMs)],
    addresses: status.addresses ?? [
      { type: 'InternalIP', address: addressFrom(node.metadata.name) },
      { type: 'Hostname', address: node.metadata.name },
    ],
    nodeInfo: { ...nodeInfo, ...reported(status.nodeInfo) },
  };
}

/** The API server writes '' for fields that the creator left out. */
function reported(info: NodeStatus['nodeInfo'] = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(info).filter(([, text]) => text !== ''));
}

const nodeInfo = {
  architecture: 'amd64',
  bootID: '',
  containerRuntimeVersion: 'millrace-sandbox://1',
  kernelVersion: '',
  kubeProxyVersion: '',
  kubeletVersion: 'v1.36.3',
  machineID: '',
  operatingSystem: 'linux',
  osImage: 'Millrace sandbox',
  systemUUID: '',
};

const healthy = [
  [
    'MemoryPressure',
    'False',
    'KubeletHasSufficientMemory',
    'kubelet has sufficient memory available',
  ],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const;

function healthyConditions(
  known: readonly NodeCondition[],
  nowMs: number,
): readonly NodeCondition[] {
  const now = rfc3339(nowMs);
  return healthy
    .filter(([type]) => !known.some((condition) => condition.type === type))
    .map(([type, status, reason, message]) => ({
      type,
      status,
      reason,
      message,
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    }));
}
