/** Requests of the Pods of each node, kept up to date with the store. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { isKind } from '../kinds.ts';
import { asPod, hasEnded, type Pod } from '../objects/pod.ts';
import { type Amounts, requestsOf } from './pod-requests.ts';

export interface Load {
  readonly requested: Amounts;
  readonly pods: number;
}

interface Held {
  readonly requests: Amounts;
  /** Whether the kubelet has accepted the Pod. */
  readonly isAdmitted: boolean;
}

const idle: Load = { requested: new Map(), pods: 0 };

export class NodeLoad {
  readonly #nodes = new Map<string, Map<string, Held>>();
  readonly #sums = new Map<string, Load>();

  constructor(store: ObjectStore) {
    for (const object of store.list({ group: '', plural: 'pods' })) this.#put(asPod(object));
    store.onChange(({ type, resourceType, object, old }) => {
      if (!isKind(resourceType, 'pods')) return;
      if (type === 'DELETED') this.#remove(asPod(old ?? object));
      else this.#put(asPod(object), old);
    });
  }

  /** For all Pods that are bound to the node and have not ended. */
  of(node: string): Load {
    let load = this.#sums.get(node);
    if (load === undefined) {
      load = total([...(this.#nodes.get(node)?.values() ?? [])]);
      this.#sums.set(node, load);
    }
    return load;
  }

  /** For the Pods that the kubelet has accepted. */
  admittedOn(node: string): Load {
    const held = [...(this.#nodes.get(node)?.values() ?? [])];
    return total(held.filter(({ isAdmitted }) => isAdmitted));
  }

  #put(pod: Pod, old?: KubeObject): void {
    const { nodeName } = pod.spec;
    if (nodeName === undefined) return;
    if (hasEnded(pod)) {
      this.#remove(pod);
      return;
    }
    const isAdmitted = pod.status?.startTime !== undefined;
    const pods = this.#nodes.get(nodeName) ?? new Map<string, Held>();
    const before = pods.get(pod.metadata.uid);
    if (before?.isAdmitted === isAdmitted && old?.spec === pod.spec) return;
    this.#nodes.set(nodeName, pods);
    pods.set(pod.metadata.uid, { requests: requestsOf(pod), isAdmitted });
    this.#sums.delete(nodeName);
  }

  #remove({ spec: { nodeName = '' }, metadata }: Pod): void {
    if (this.#nodes.get(nodeName)?.delete(metadata.uid) === true) this.#sums.delete(nodeName);
  }
}

function total(held: readonly Held[]): Load {
  if (held.length === 0) return idle;
  const requested = new Map<string, number>();
  for (const { requests } of held) {
    for (const [resource, amount] of requests) {
      requested.set(resource, (requested.get(resource) ?? 0) + amount);
    }
  }
  return { requested, pods: held.length };
}
