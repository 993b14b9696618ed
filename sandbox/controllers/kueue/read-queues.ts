import type { KubeObject } from '#shared/domain/objects.ts';
import type { ResourceType } from '../../registry/resource-type.ts';
import type { ControllerApi } from '../controller.ts';
import { kueueGroup, kueueVersion } from './definitions.ts';
import type { ClusterQueue, LocalQueue, Queues, Workload } from './queue-objects.ts';

export type QueueKind = 'workloads' | 'localqueues' | 'clusterqueues' | 'resourceflavors';

/** Undefined: this sandbox serves no kinds of Kueue. */
export function queueType({ types }: ControllerApi, plural: QueueKind): ResourceType | undefined {
  return types.byPath(kueueGroup, kueueVersion, plural);
}

export function readQueues(api: ControllerApi): Queues {
  const list = (plural: QueueKind): readonly KubeObject[] => {
    const type = queueType(api, plural);
    return type === undefined ? [] : api.store.list(type);
  };
  const ofQueue = ({ metadata }: KubeObject): string =>
    `${metadata.namespace ?? ''}/${metadata.name}`;
  return {
    clusterQueues: new Map(
      (list('clusterqueues') as readonly ClusterQueue[]).map((each) => [each.metadata.name, each]),
    ),
    localQueues: new Map(
      (list('localqueues') as readonly LocalQueue[]).map((each) => [ofQueue(each), each]),
    ),
    flavors: new Set(list('resourceflavors').map(({ metadata }) => metadata.name)),
    workloads: list('workloads') as readonly Workload[],
  };
}
