/** Deletes Pods from nodes whose NoExecute taints they do not tolerate (pkg/controller/tainteviction). */
import { parseTime, rfc3339 } from '#shared/domain/time.ts';
import type { StoreEvent } from '../../store/object-store.ts';
import { type Controller, type ControllerContext, earliest } from '../controller.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { isKind, kindOf } from '../kinds.ts';
import { asNode, type Node, type Taint } from '../objects/node.ts';
import { asPod, hasEnded, isDeleted, type Pod } from '../objects/pod.ts';
import { withPodCondition } from '../pod/pod-conditions.ts';
import { tolerates } from '../scheduling/taints.ts';
import { Writes } from '../writes.ts';

export class TaintEviction implements Controller {
  readonly name = 'taint-eviction';
  readonly #record: RecordEvent;

  constructor(record: RecordEvent) {
    this.#record = record;
  }

  keysFor({ resourceType, object, old, type }: StoreEvent): readonly string[] {
    if (type === 'DELETED') return [];
    if (isKind(resourceType, 'pods')) {
      const { nodeName = '' } = asPod(object).spec;
      const isNewThere = old === undefined || asPod(old).spec.nodeName !== nodeName;
      return nodeName !== '' && isNewThere ? [nodeName] : [];
    }
    if (!isKind(resourceType, 'nodes')) return [];
    return old !== undefined && asNode(old).spec?.taints === asNode(object).spec?.taints
      ? []
      : [object.metadata.name];
  }

  reconcile(key: string, context: ControllerContext): number | undefined {
    const { api, clock } = context;
    const object = api.store.get(kindOf(api, 'nodes'), '', key);
    if (object === undefined) return undefined;
    const taints = executing(asNode(object));
    if (taints.length === 0) return undefined;
    const nowMs = clock.now();
    const pods = api.store.list(kindOf(api, 'pods')).map(asPod);
    const moments = pods
      .filter((pod) => pod.spec.nodeName === key && !isDeleted(pod) && !hasEnded(pod))
      .map((pod) => {
        const dueMs = evictionMs(pod, taints, nowMs);
        if (dueMs > nowMs) return dueMs === Infinity ? undefined : dueMs;
        this.#evict(pod, context);
        return undefined;
      });
    return earliest(...moments);
  }

  #evict(pod: Pod, { api, clock }: ControllerContext): void {
    const pods = kindOf(api, 'pods');
    const writes = new Writes(api, 'kube-controller-manager');
    const { namespace = '', name } = pod.metadata;
    const message = `Marking for deletion Pod ${namespace}/${name}`;
    this.#record(pod, { type: 'Normal', reason: 'TaintManagerEviction', message });
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      lastTransitionTime: rfc3339(clock.now()),
    } as const;
    const disrupted = writes.updateStatus(pods, pod, withPodCondition(pod, condition));
    writes.delete(pods, disrupted);
  }
}

const executing = ({ spec }: Node): readonly Taint[] =>
  spec?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];

/** The time when the first toleration runs out. Infinity: all taints are tolerated for ever. */
function evictionMs({ spec }: Pod, taints: readonly Taint[], nowMs: number): number {
  let dueMs = Infinity;
  for (const taint of taints) {
    const tolerations = (spec.tolerations ?? []).filter((each) => tolerates(each, taint));
    if (tolerations.length === 0) return nowMs;
    const sinceMs = parseTime(taint.timeAdded) ?? nowMs;
    for (const { tolerationSeconds } of tolerations) {
      if (tolerationSeconds !== undefined) {
        dueMs = Math.min(dueMs, sinceMs + Math.max(0, tolerationSeconds) * 1000);
      }
    }
  }
  return dueMs;
}
