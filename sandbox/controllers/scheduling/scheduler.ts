/**
 * The scheduler: binds a waiting Pod to a node that it fits. A Pod that names its node is left alone. Unknown
 * constraints are ignored, and an Event says so.
 */
import { rfc3339 } from '#shared/domain/time.ts';
import type { StoreEvent } from '../../store/object-store.ts';
import type { Controller, ControllerApi, ControllerContext } from '../controller.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { isKind, kindOf } from '../kinds.ts';
import { asNode } from '../objects/node.ts';
import { asPod, hasEnded, isDeleted, type Pod, podCondition } from '../objects/pod.ts';
import { Writes } from '../writes.ts';
import type { NodeLoad } from './node-load.ts';
import { pickNode } from './pick-node.ts';

const schedulerName = 'default-scheduler';

export class Scheduler implements Controller {
  readonly name = 'scheduler';
  readonly #load: NodeLoad;
  readonly #record: RecordEvent;
  /** Keys of Pods that fit no node. */
  readonly #waiting = new Set<string>();

  constructor(load: NodeLoad, record: RecordEvent) {
    this.#load = load;
    this.#record = record;
  }

  keysFor({ resourceType, object, type }: StoreEvent): readonly string[] {
    if (isKind(resourceType, 'nodes')) return type === 'DELETED' ? [] : ['waiting'];
    if (isKind(resourceType, 'claims')) return ['waiting'];
    if (!isKind(resourceType, 'pods')) return [];
    const pod = asPod(object);
    if (type === 'DELETED') return ['waiting', keyOf(pod)];
    if (isBound(pod)) return hasEnded(pod) ? ['waiting'] : [];
    return [keyOf(pod)];
  }

  reconcile(key: string, context: ControllerContext): number | undefined {
    if (key === 'waiting') {
      for (const waiting of [...this.#waiting]) this.#schedule(waiting, context);
    } else {
      this.#schedule(key, context);
    }
    return undefined;
  }

  #schedule(key: string, { api, clock }: ControllerContext): void {
    const [, namespace = '', name = ''] = key.split(' ');
    const pods = kindOf(api, 'pods');
    const object = api.store.get(pods, namespace, name);
    this.#waiting.delete(key);
    if (object === undefined || !isMine(asPod(object))) return;
    const pod = asPod(object);
    const nodes = api.store.list(kindOf(api, 'nodes')).map(asNode);
    const picked =
      missingClaim(api, pod, nodes.length) ?? pickNode(pod, nodes, (node) => this.#load.of(node));
    const writes = new Writes(api, schedulerName);
    if (picked.kind === 'node') {
      writes.createSubresource(pods, pod, 'binding', binding(pod, picked.name));
      this.#tellBound(pod, picked.name);
      return;
    }
    this.#waiting.add(key);
    if (podCondition(pod, 'PodScheduled')?.message === picked.message) return;
    const status = unschedulable(pod, 'Unschedulable', picked.message, clock.now());
    writes.updateStatus(pods, pod, status);
    const { message } = picked;
    this.#record(pod, { type: 'Warning', reason: 'FailedScheduling', message });
  }

  #tellBound(pod: Pod, node: string): void {
    const { namespace = '', name } = pod.metadata;
    for (const constraint of ignoredConstraints(pod)) {
      const message = `the sandbox does not simulate ${constraint} and ignores it`;
      this.#record(pod, { type: 'Warning', reason: 'NotSimulated', message });
    }
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    this.#record(pod, { type: 'Normal', reason: 'Scheduled', message });
  }
}

const keyOf = ({ metadata }: Pod): string => `pod ${metadata.namespace ?? ''} ${metadata.name}`;
const isBound = ({ spec }: Pod): boolean => (spec.nodeName ?? '') !== '';

/** The Pod has no gate and names this scheduler (KEP-3521). */
function isMine(pod: Pod): boolean {
  const { spec } = pod;
  if (isBound(pod) || isDeleted(pod) || hasEnded(pod)) return false;
  if ((spec.schedulingGates ?? []).length > 0) return false;
  return (spec.schedulerName ?? schedulerName) === schedulerName;
}

/** Volumes are not simulated, but a claim must exist (plugin VolumeBinding). */
function missingClaim(
  api: ControllerApi,
  { metadata, spec }: Pod,
  nodes: number,
): { readonly kind: 'none'; readonly message: string } | undefined {
  const claims = kindOf(api, 'claims');
  const missing = claimsOf(spec).find(
    (name) => api.store.get(claims, metadata.namespace ?? '', name) === undefined,
  );
  if (missing === undefined) return undefined;
  const why = `persistentvolumeclaim "${missing}" not found.`;
  return { kind: 'none', message: `0/${nodes} nodes are available: ${why}` };
}

function claimsOf({ volumes = [] }: Pod['spec']): readonly string[] {
  return volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
}

function binding({ metadata: { name, namespace, uid } }: Pod, node: string) {
  return {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  };
}

function unschedulable(pod: Pod, reason: string, message: string, nowMs: number) {
  const type = 'PodScheduled';
  const previous = podCondition(pod, type);
  const since = previous?.status === 'False' ? previous.lastTransitionTime : undefined;
  const lastTransitionTime = since ?? rfc3339(nowMs);
  const condition = { type, status: 'False', lastTransitionTime };
  const others = (pod.status?.conditions ?? []).filter((each) => each.type !== type);
  return { ...pod.status, conditions: [...others, { ...condition, reason, message }] };
}

function ignoredConstraints({ spec }: Pod): readonly string[] {
  const { affinity = {}, topologySpreadConstraints = [] } = spec;
  return [
    ...(affinity.podAffinity === undefined ? [] : ['podAffinity']),
    ...(affinity.podAntiAffinity === undefined ? [] : ['podAntiAffinity']),
    ...(topologySpreadConstraints.length === 0 ? [] : ['topologySpreadConstraints']),
    ...claimsOf(spec).map((claim) => `the volume of persistentVolumeClaim ${claim}`),
  ];
}
