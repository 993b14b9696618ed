/**
 * Deletes Pods without a kubelet (pkg/controller/podgc): those whose node has been gone for 40
 * seconds, and deleted ones that never had a node.
 */
import { rfc3339 } from '#shared/domain/time.ts';
import type { StoreEvent } from '../../store/object-store.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { isKind, kindOf } from '../kinds.ts';
import { asPod, hasEnded, isDeleted, type Pod, type PodCondition } from '../objects/pod.ts';
import { withPodCondition } from '../pod/pod-conditions.ts';
import { Writes } from '../writes.ts';

const quarantineMs = 40_000;

export class PodGarbageCollector implements Controller {
  readonly name = 'pod-garbage-collector';
  /** Time by node name since which the node is missing. */
  readonly #missing = new Map<string, number>();

  keysFor({ resourceType, object, type }: StoreEvent): readonly string[] {
    if (isKind(resourceType, 'nodes')) return [`node ${object.metadata.name}`];
    if (!isKind(resourceType, 'pods') || type === 'DELETED') return [];
    const pod = asPod(object);
    const { nodeName = '' } = pod.spec;
    if (nodeName !== '') return [`node ${nodeName}`];
    const { namespace = '', name } = pod.metadata;
    return isDeleted(pod) ? [`pod ${namespace} ${name}`] : [];
  }

  reconcile(key: string, context: ControllerContext): number | undefined {
    const [what, first = '', second = ''] = key.split(' ');
    if (what === 'node') return this.#checkNode(first, context);
    const object = context.api.store.get(kindOf(context.api, 'pods'), first, second);
    const pod = object && asPod(object);
    if (pod === undefined || !isDeleted(pod) || (pod.spec.nodeName ?? '') !== '') return undefined;
    remove(pod, undefined, context);
    return undefined;
  }

  #checkNode(name: string, context: ControllerContext): number | undefined {
    const { api, clock } = context;
    if (api.store.get(kindOf(api, 'nodes'), '', name) !== undefined) {
      this.#missing.delete(name);
      return undefined;
    }
    const since = this.#missing.get(name) ?? clock.now();
    this.#missing.set(name, since);
    if (clock.now() < since + quarantineMs) return since + quarantineMs;
    for (const object of api.store.list(kindOf(api, 'pods'))) {
      const pod = asPod(object);
      if (pod.spec.nodeName === name) remove(pod, nodeGone(clock.now()), context);
    }
    return undefined;
  }
}

const nodeGone = (nowMs: number): PodCondition => ({
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
  lastTransitionTime: rfc3339(nowMs),
});

/** Failed first, so that its Job counts the Pod, then deleted at once. */
function remove(pod: Pod, condition: PodCondition | undefined, { api }: ControllerContext): void {
  const pods = kindOf(api, 'pods');
  const writes = new Writes(api, 'kube-controller-manager');
  const isAsked = hasEnded(pod) && pod.metadata.deletionGracePeriodSeconds === 0;
  if (isAsked) return;
  const status = condition === undefined ? pod.status : withPodCondition(pod, condition);
  const ended = hasEnded(pod)
    ? pod
    : writes.updateStatus(pods, pod, { ...status, phase: 'Failed' });
  writes.delete(pods, ended, { gracePeriodSeconds: 0 });
}
