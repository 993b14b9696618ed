/** The machines of a scenario, and what happens to them and to the DaemonJobs that run on them. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { Clock } from '#shared/domain/clock.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { ObjectStore, ResourceType } from '#sandbox';
import { namespace } from '../flow-objects.ts';
import { daemonObject, nodeObject, readiness } from './daemon-objects.ts';
import type { DaemonPlan, FleetAction, FleetPlan } from './daemon-plans.ts';

export interface FleetOptions {
  readonly plan: FleetPlan;
  readonly store: ObjectStore;
  readonly client: KubeClient;
  readonly nodeType: ResourceType;
  readonly clock: Clock;
  /** What ran there runs no more. */
  readonly onNodeLost: (name: string) => void;
}

const anHourMs = 3_600_000;
const taint = { key: 'example.com/maintenance', effect: 'NoSchedule' };

export class Fleet {
  /** How often each action had something to act on. */
  readonly done: Partial<Record<FleetAction['kind'], number>> = {};
  readonly #options: FleetOptions;
  #machines = 0;
  #nonces = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  begin(): void {
    for (const name of this.#options.plan.nodes) this.#add(name, anHourMs);
  }

  async create(plan: DaemonPlan): Promise<void> {
    if (this.#daemonJob(plan.name) !== undefined) return;
    await this.#options.client.create(resources.DaemonJob, daemonObject(plan));
  }

  async act(action: FleetAction): Promise<void> {
    const { plan } = this.#options;
    const nodes = this.#nodes();
    const node = nodes[action.index % Math.max(1, nodes.length)];
    const daemon = plan.daemonJobs[action.index % plan.daemonJobs.length]!;
    const acted = action.kind.startsWith('node')
      ? this.#actOnNode(action, node)
      : await this.#actOnDaemonJob(action, daemon);
    if (acted) this.done[action.kind] = (this.done[action.kind] ?? 0) + 1;
  }

  /** Every machine works, and nobody stands in the way of a DaemonJob. */
  async makePeace(): Promise<void> {
    if (this.#nodes().length < 2) this.#add('spare');
    for (const node of this.#nodes()) {
      const { unschedulable, taints } = node.spec as JsonObject;
      const [ready] = (node.status as { conditions: readonly { status: string }[] }).conditions;
      if (unschedulable === undefined && taints === undefined && ready?.status === 'True') continue;
      this.#put({ ...node, spec: {}, status: readiness('True') });
    }
    for (const { metadata, spec } of this.#daemonJobs()) {
      const wanted: Record<string, unknown> = {
        ...(spec.suspend === true ? { suspend: false } : {}),
        ...(spec.paused === true ? { paused: false } : {}),
        ...(spec.failurePolicy === 'Pause' ? { failurePolicy: 'Continue' } : {}),
      };
      if (Object.keys(wanted).length > 0)
        await this.#patch(metadata.name, { spec: wanted as JsonObject });
    }
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

  async #actOnDaemonJob({ kind, index }: FleetAction, plan: DaemonPlan): Promise<boolean> {
    const daemonJob = this.#daemonJob(plan.name);
    if (kind === 'daemonRecreated') {
      if (daemonJob !== undefined) await this.#delete(plan.name, index);
      if (this.#daemonJob(plan.name) !== undefined) return false;
      await this.create(plan);
      return true;
    }
    if (daemonJob === undefined) return false;
    switch (kind) {
      case 'daemonDeleted':
        return this.#delete(plan.name, index);
      case 'daemonSuspended':
      case 'daemonResumed':
        return this.#patch(plan.name, { spec: { suspend: kind === 'daemonSuspended' } });
      case 'daemonPaused':
      case 'daemonUnpaused':
        return this.#patch(plan.name, { spec: { paused: kind === 'daemonPaused' } });
      case 'daemonExcludes': {
        const [node] = this.#nodes();
        const without = [...plan.exclude, ...(index % 2 === 0 ? [node?.metadata.name ?? ''] : [])];
        return this.#patch(plan.name, { spec: { excludeNodeList: without.join(',') } });
      }
      case 'daemonRetried': {
        this.#nonces += 1;
        const notes = { [annotations.retry]: `retry-${this.#nonces}` };
        return this.#patch(plan.name, { metadata: { annotations: notes } });
      }
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

  #daemonJobs(): readonly DaemonJob[] {
    return this.#options.store.list(resources.DaemonJob) as unknown as readonly DaemonJob[];
  }

  #daemonJob(name: string): KubeObject | undefined {
    return this.#options.store.get(resources.DaemonJob, namespace, name);
  }

  async #patch(name: string, patch: JsonObject): Promise<boolean> {
    const target = { namespace, name };
    await this.#options.client.patch(resources.DaemonJob, target, patch, { type: 'merge' });
    return true;
  }

  async #delete(name: string, index: number): Promise<boolean> {
    const propagation = index % 2 === 0 ? 'Background' : 'Foreground';
    await this.#options.client.delete(resources.DaemonJob, { namespace, name }, { propagation });
    return true;
  }
}
