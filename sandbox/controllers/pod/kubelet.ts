/**
 * The kubelets of all nodes: they carry Pods from Pending to their end and removal.
 *
 * kubelet-1 A Pod changes only while its node exists and is ready.
 * kubelet-2 The state of a Pod is in its status. The runtime knows the runs of its containers.
 * kubelet-3 A deleted Pod is stopped, then its end is reported, and then the object is removed.
 */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { StoreEvent } from '../../store/object-store.ts';
import { type Controller, type ControllerContext, earliest } from '../controller.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { isKind, kindOf } from '../kinds.ts';
import { asNode, type Node, readiness } from '../objects/node.ts';
import { asPod, hasEnded, isDeleted, type Pod, type PodStatus } from '../objects/pod.ts';
import { Writes } from '../writes.ts';
import type { ContainerRuntime } from './container-runtime.ts';
import { type Admission, rejectedStatus } from './pod-admission.ts';
import { advancePod, haltPod, type PodStep } from './pod-progress.ts';
import { tellContainers } from './pod-events.ts';

export class Kubelet implements Controller {
  readonly name = 'kubelet';
  readonly #runtime: ContainerRuntime;
  readonly #admit: Admission;
  readonly #record: RecordEvent;

  constructor(runtime: ContainerRuntime, admit: Admission, record: RecordEvent) {
    this.#runtime = runtime;
    this.#admit = admit;
    this.#record = record;
  }

  keysFor({ resourceType, object, type }: StoreEvent): readonly string[] {
    const { name, uid } = object.metadata;
    if (isKind(resourceType, 'nodes')) return type === 'DELETED' ? [] : [`node ${name}`];
    if (!isKind(resourceType, 'pods')) return [];
    if (type === 'DELETED') return [`forget ${uid}`];
    return asPod(object).spec.nodeName === undefined ? [] : [keyOf(asPod(object))];
  }

  reconcile(key: string, context: ControllerContext): number | undefined {
    const [what = '', first = '', second = ''] = key.split(' ');
    if (what === 'forget') this.#runtime.forget(first);
    if (what === 'node') return this.#nodeChanged(first, context);
    if (what !== 'pod') return undefined;
    const { store } = context.api;
    const object = store.get(kindOf(context.api, 'pods'), first, second);
    if (object === undefined) return undefined;
    const pod = asPod(object);
    const node = store.get(kindOf(context.api, 'nodes'), '', pod.spec.nodeName ?? '');
    if (node === undefined || readiness(asNode(node)) !== 'True') return undefined;
    return this.#advance(pod, asNode(node), context);
  }

  wakeBy(wake: (key: string) => void): void {
    this.#runtime.onEnd((pod) => wake(keyOf(pod)));
  }

  /** A node came, or came back: its Pods continue. */
  #nodeChanged(name: string, context: ControllerContext): number | undefined {
    const pods = context.api.store
      .list(kindOf(context.api, 'pods'))
      .map(asPod)
      .filter(({ spec }) => spec.nodeName === name);
    return earliest(...pods.map((pod) => this.reconcile(keyOf(pod), context)));
  }

  #advance(pod: Pod, node: Node, context: ControllerContext): number | undefined {
    const { api, clock } = context;
    const pods = kindOf(api, 'pods');
    const writes = new Writes(api, 'kubelet');
    const { status, lookAgainMs } = this.#next(pod, node, clock.now());
    const next = asPod(isSame(pod.status, status) ? pod : writes.updateStatus(pods, pod, status));
    if (next !== pod) tellContainers(pod, next, this.#record);
    if (!isDeleted(next)) return lookAgainMs;
    if (!hasEnded(next)) return lookAgainMs;
    // A finalizer may still keep the Pod. Then its removal was already requested.
    const isAsked = next.metadata.deletionGracePeriodSeconds === 0 && next === pod;
    if (!isAsked) writes.delete(pods, next, { gracePeriodSeconds: 0 });
    return undefined;
  }

  #next(pod: Pod, node: Node, nowMs: number): PodStep {
    if (hasEnded(pod)) return { status: pod.status ?? {} };
    if (isDeleted(pod)) return haltPod(pod, node, graceMs(pod, nowMs), this.#runtime, nowMs);
    const isNew = pod.status?.startTime === undefined;
    const refusal = isNew ? this.#admit(pod, node) : undefined;
    if (refusal !== undefined) return { status: rejectedStatus(pod, refusal, nowMs) };
    return advancePod(pod, node, this.#runtime, nowMs);
  }
}

const keyOf = ({ metadata }: Pod): string => `pod ${metadata.namespace ?? ''} ${metadata.name}`;

/** The rest of the grace period. */
function graceMs({ metadata }: Pod, nowMs: number): number {
  return Math.max(0, (parseTime(metadata.deletionTimestamp) ?? nowMs) - nowMs);
}

function isSame(before: PodStatus | undefined, after: PodStatus): boolean {
  return before === after || jsonEqual(before, after);
}
