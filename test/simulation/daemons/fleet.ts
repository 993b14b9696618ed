/** The machines of a scenario, and their events. */
import type { Clock } from '#shared/domain/clock.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { ObjectStore, ResourceType } from '#sandbox';
import { nodeObject, readiness, taint, zone, zoneOf } from './daemon-objects.ts';
import type { DaemonPlan, FleetAction, FleetPlan } from './daemon-plans.ts';
import { DaemonUser } from './daemon-user.ts';

export interface FleetOptions {
  readonly plan: FleetPlan;
  readonly store: ObjectStore;
  readonly client: KubeClient;
  readonly keepsNotes: boolean;
  readonly nodeType: ResourceType;
  readonly clock: Clock;
  /** Called when the Jobs on this node have stopped. */
  readonly onNodeLost: (name: string) => void;
}

const anHourMs = 3_600_000;

export class Fleet {
  /** Counts how often each action found an object. */
  readonly done: Partial<Record<FleetAction['kind'], number>> = {};
  readonly #options: FleetOptions;
  readonly #user: DaemonUser;
  #machines = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#user = new DaemonUser({ ...options, plans: options.plan.daemonJobs });
  }

  begin(): void {
    for (const name of this.#options.plan.nodes) this.#add(name, anHourMs);
  }

  /** A kubelet's regular report without changes. */
  beat(): void {
    const lastHeartbeatTime = rfc3339(this.#options.clock.now());
    for (const node of this.#nodes()) {
      const { conditions } = node.status as { readonly conditions: readonly JsonObject[] };
      const beaten = conditions.map((condition) => ({ ...condition, lastHeartbeatTime }));
      this.#put({ ...node, status: { conditions: beaten } });
    }
  }

  create(plan: DaemonPlan): Promise<void> {
    return this.#user.create(plan);
  }

  async act(action: FleetAction): Promise<void> {
    const nodes = this.#nodes();
    const node = nodes[action.index % Math.max(1, nodes.length)];
    const acted = action.kind.startsWith('node')
      ? this.#actOnNode(action, node)
      : await this.#user.act(action);
    if (acted) this.done[action.kind] = (this.done[action.kind] ?? 0) + 1;
  }

  /** Makes every machine work, and removes every obstacle of DaemonJobs. */
  async makePeace(): Promise<void> {
    if (this.#nodes().length < 2) this.#add('spare');
    for (const name of this.#user.missedIn('a')) {
      const node = this.#nodes().find(({ metadata }) => metadata.name === name);
      if (node !== undefined) this.#put(inZone(node, 'a'));
    }
    for (const node of this.#nodes()) {
      const { unschedulable, taints } = node.spec as JsonObject;
      const [ready] = (node.status as { conditions: readonly { status: string }[] }).conditions;
      if (unschedulable === undefined && taints === undefined && ready?.status === 'True') continue;
      this.#put({ ...node, spec: {}, status: readiness('True') });
    }
    await this.#user.makePeace();
  }

  #actOnNode({ kind }: FleetAction, node: KubeObject | undefined): boolean {
    if (kind === 'nodeAdded') {
      this.#add(`late-${this.#machines}`);
      return true;
    }
    if (node === undefined) return false;
    switch (kind) {
      case 'nodeDeleted':
        this.#remove(node);
        return true;
      case 'nodeReplaced':
        this.#remove(node);
        this.#add(node.metadata.name);
        return true;
      case 'nodeCordoned':
        this.#put({ ...node, spec: { unschedulable: true } });
        return true;
      case 'nodeTainted':
        this.#put({ ...node, spec: { taints: [taint] } });
        return true;
      case 'nodeUncordoned':
        this.#put({ ...node, spec: {} });
        return true;
      case 'nodeRelabelled':
        this.#put(inZone(node, zoneOf(node) === 'a' ? 'b' : 'a'));
        return true;
      case 'nodeSilent':
        this.#put({ ...node, status: readiness('Unknown') });
        return true;
      case 'nodeBack':
        this.#put({ ...node, status: readiness('True') });
        return true;
      default:
        return false;
    }
  }

  #add(name: string, ageMs = 0): void {
    if (this.#options.store.get(resources.Node, '', name) !== undefined) return;
    this.#machines += 1;
    this.#put(nodeObject(name, this.#machines, rfc3339(this.#options.clock.now() - ageMs)));
  }

  #remove({ metadata }: KubeObject): void {
    this.#options.store.remove(this.#options.nodeType, '', metadata.name);
    this.#options.onNodeLost(metadata.name);
  }

  #put(node: KubeObject): void {
    this.#options.store.put(this.#options.nodeType, node);
  }

  #nodes(): readonly KubeObject[] {
    return this.#options.store.list(resources.Node);
  }
}

function inZone(node: KubeObject, name: string): KubeObject {
  const { metadata } = node;
  return { ...node, metadata: { ...metadata, labels: { ...metadata.labels, [zone]: name } } };
}
