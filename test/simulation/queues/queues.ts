/** A queue of Kueue in a simulated cluster: its manager in virtual time, and users' actions. */
import type { Clock } from '#shared/domain/clock.ts';
import type { JsonObject, KubeObject, ObjectMeta, Resource } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { KueueController, type ObjectStore, type Sandbox, type StoreEvent } from '#sandbox';
import { namespace } from '../flow-objects.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Life, Timeline } from '../world/timeline.ts';
import { type QueueAction, queueName, type QueuePlan, queuePriorities } from './queue-plans.ts';

const group = 'kueue.x-k8s.io';
const version = 'v1beta2';
const flavor = 'default-flavor';

/** Virtual milliseconds from a change to Kueue's next turn. */
const reactionMs = { least: 1, most: 300 };

export interface QueuesOptions {
  readonly plan: QueuePlan;
  readonly api: Sandbox['api'];
  readonly client: KubeClient;
  readonly timeline: Timeline;
  readonly clock: Clock;
  readonly random: SeededRandom;
}

export class Queues {
  /** Counts how often each action found an object. */
  readonly done: Partial<Record<QueueAction['kind'], number>> = {};
  readonly #options: QueuesOptions;
  readonly #life: Life = { name: 'kueue', alive: true, stoppedUntilMs: 0 };
  // Its Events are about Workloads, which no decision here is about.
  readonly #manager = new KueueController(() => undefined);
  #isAwaited = false;

  constructor(options: QueuesOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    await this.#create('ResourceFlavor', 'resourceflavors', flavor, {});
    for (const [name, value] of Object.entries(queuePriorities)) {
      await this.#create('WorkloadPriorityClass', 'workloadpriorityclasses', name, {}, { value });
    }
    await this.#create('ClusterQueue', 'clusterqueues', queueName, {
      namespaceSelector: {},
      preemption: { withinClusterQueue: 'LowerPriority' },
      ...quota(this.#options.plan.cpu),
    });
    await this.#create('LocalQueue', 'localqueues', queueName, { clusterQueue: queueName });
  }

  onChange(event: StoreEvent): void {
    if (this.#manager.keysFor(event).length > 0) this.#awaitTurn();
  }

  /** One turn at a time, each a while after its cause. */
  #awaitTurn(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    const { timeline, random, api, clock } = this.#options;
    const { least, most } = reactionMs;
    timeline.after(random.between(least, most), this.#life, 'kueue', () => {
      this.#isAwaited = false;
      this.#manager.reconcile('', { api, clock, random: random.next });
    });
  }

  async act(action: QueueAction): Promise<void> {
    if (await this.#attempt(action)) {
      this.done[action.kind] = (this.done[action.kind] ?? 0) + 1;
    }
  }

  /** Opens the queue with its quota, and activates everything. */
  async makePeace(): Promise<void> {
    this.#life.stoppedUntilMs = 0;
    await this.#edit(localQueue, queueName, { stopPolicy: 'None' });
    await this.#edit(clusterQueue, queueName, quota(this.#options.plan.cpu));
    for (const { spec, metadata } of this.#workloads()) {
      if ((spec as JsonObject)['active'] !== false) continue;
      await this.#edit(resources.Workload, metadata.name, { active: true });
    }
  }

  /** False: there was no object for the action. */
  async #attempt({ kind, index }: QueueAction): Promise<boolean> {
    const { plan, client, timeline } = this.#options;
    switch (kind) {
      case 'queueDrained':
      case 'queueReopened': {
        const stopPolicy = kind === 'queueDrained' ? 'HoldAndDrain' : 'None';
        return this.#edit(localQueue, queueName, { stopPolicy });
      }
      case 'quotaCut':
        return this.#edit(clusterQueue, queueName, quota(1));
      case 'quotaRestored':
        return this.#edit(clusterQueue, queueName, quota(plan.cpu));
      case 'kueueAway':
        this.#life.stoppedUntilMs = timeline.nowMs + 2_000 * (index + 1);
        return true;
      case 'workloadDeleted':
        return this.#ofWorkload(index, (name) =>
          client.delete(resources.Workload, { namespace, name }, { propagation: 'Background' }),
        );
      case 'queueLeft':
        return this.#leave(index);
      case 'workloadActivated':
      case 'workloadDeactivated': {
        const active = kind === 'workloadActivated';
        return this.#ofWorkload(index, (name) => this.#edit(resources.Workload, name, { active }));
      }
    }
  }

  /** The webhooks let a suspended owner lose the label of its queue. */
  async #leave(index: number): Promise<boolean> {
    const { api, client } = this.#options;
    const waiting = [resources.JobFlow, resources.AppWrapper].flatMap((kind) =>
      api.store
        .list(kind)
        .filter(
          ({ metadata, spec }) => isInQueue(metadata) && (spec as JsonObject)['suspend'] === true,
        )
        .map(({ metadata: { name } }) => ({ kind, name })),
    );
    const chosen = waiting[index % Math.max(1, waiting.length)];
    if (chosen === undefined) return false;
    const patch = { metadata: { labels: { [queueLabel]: null } } };
    await client.patch(chosen.kind, { namespace, name: chosen.name }, patch, { type: 'merge' });
    return true;
  }

  async #ofWorkload(index: number, act: (name: string) => Promise<unknown>): Promise<boolean> {
    const workloads = this.#workloads();
    const name = workloads[index % Math.max(1, workloads.length)]?.metadata.name;
    if (name === undefined) return false;
    await act(name);
    return true;
  }

  #workloads(): readonly KubeObject[] {
    return workloadsOf(this.#options.api.store);
  }

  async #edit(resource: Resource, name: string, spec: JsonObject): Promise<boolean> {
    const target = { namespace: resource.namespaced ? namespace : '', name };
    await this.#options.client.patch(resource, target, { spec }, { type: 'merge' });
    return true;
  }

  async #create(
    kind: string,
    plural: string,
    name: string,
    spec: JsonObject,
    more: JsonObject = {},
  ): Promise<void> {
    const resource = resourceOf(kind, plural, kind === 'LocalQueue');
    const metadata = { name, ...(resource.namespaced ? { namespace } : {}) };
    const apiVersion = `${group}/${version}`;
    await this.#options.client.create(resource, { apiVersion, kind, metadata, spec, ...more });
  }
}

export function isInQueue({ labels }: Pick<ObjectMeta, 'labels'>): boolean {
  return labels?.[queueLabel] !== undefined;
}

export function workloadsOf(store: ObjectStore): readonly KubeObject[] {
  return store.list(resources.Workload);
}

const localQueue = resourceOf('LocalQueue', 'localqueues', true);
const clusterQueue = resourceOf('ClusterQueue', 'clusterqueues', false);

function resourceOf(kind: string, plural: string, namespaced: boolean): Resource {
  return { group, version, plural, kind, namespaced };
}

function quota(cpu: number): JsonObject {
  const offered = [{ name: 'cpu', nominalQuota: String(cpu) }];
  const flavors = [{ name: flavor, resources: offered }];
  return { resourceGroups: [{ coveredResources: ['cpu'], flavors }] };
}
