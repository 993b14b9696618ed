/**
 * Does the work of kubelets and the node lifecycle controller for a node object: a new node reports Ready, and taints
 * follow from readiness and cordoning (pkg/controller/nodelifecycle). There are no leases and no heartbeat. A node is
 * as ready as its status says, so a status write can make it fail.
 */
import { rfc3339 } from '#shared/domain/time.ts';
import type { StoreEvent } from '../../store/object-store.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { isKind, kindOf } from '../kinds.ts';
import { asNode, type Node, readiness, type Taint } from '../objects/node.ts';
import { Writes } from '../writes.ts';
import { completedStatus } from './node-object.ts';

const prefix = 'node.kubernetes.io/';

export class NodeController implements Controller {
  readonly name = 'node';

  keysFor({ resourceType, object, type }: StoreEvent): readonly string[] {
    return isKind(resourceType, 'nodes') && type !== 'DELETED' ? [object.metadata.name] : [];
  }

  reconcile(key: string, { api, clock }: ControllerContext): number | undefined {
    const nodes = kindOf(api, 'nodes');
    const object = api.store.get(nodes, '', key);
    if (object === undefined) return undefined;
    const node = asNode(object);
    const status = completedStatus(node, clock.now());
    const reported =
      status === node.status
        ? node
        : asNode(new Writes(api, 'kubelet').updateStatus(nodes, node, status));
    const taints = wantedTaints(reported, clock.now());
    if (taints === undefined) return undefined;
    const tainted = { ...reported, spec: { ...reported.spec, taints } };
    new Writes(api, 'kube-controller-manager').update(nodes, tainted);
    return undefined;
  }
}

const managed = [
  ['not-ready', 'NoSchedule'],
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoSchedule'],
  ['unreachable', 'NoExecute'],
  ['unschedulable', 'NoSchedule'],
] as const;

/** Undefined when the taints are right. Other taints stay. */
function wantedTaints(node: Node, nowMs: number): readonly Taint[] | undefined {
  const present = node.spec?.taints ?? [];
  const facts = {
    'not-ready': readiness(node) === 'False',
    unreachable: readiness(node) === 'Unknown',
    unschedulable: node.spec?.unschedulable === true,
  };
  let taints = present;
  for (const [name, effect] of managed) {
    const isThis = (taint: Taint) => taint.key === prefix + name && taint.effect === effect;
    const isPresent = taints.some(isThis);
    if (isPresent && !facts[name]) taints = taints.filter((taint) => !isThis(taint));
    if (!isPresent && facts[name]) {
      taints = [...taints, { key: prefix + name, effect, timeAdded: rfc3339(nowMs) }];
    }
  }
  return taints === present ? undefined : taints;
}
