/** What was committed in one run, as far as it may ask for work: what budgets are made of. */
import { labels } from '#shared/domain/labels.ts';
import type { Json, KubeObject } from '#shared/domain/objects.ts';
import type { StoreEvent } from '#sandbox';
import type { Scenario } from '../scenario.ts';

export class Deeds {
  /** Items of work that a bridge may be asked for by what was committed. */
  asked = 0;
  /** Jobs that were created. */
  jobs = 0;
  /** Changes of the status of flows, and of DaemonJobs. */
  readonly statuses = { jobflows: 0, daemonjobs: 0 };
  /** All that was committed of them. */
  readonly versions = { jobflows: 0, daemonjobs: 0 };
  /** Ends of DaemonJobs, told anew where a retry was asked for that had nothing to start. */
  ends = 0;
  /** Jobs at once, at most. */
  mostJobs = 0;
  /** Nodes at once, at most. */
  mostNodes = 0;
  #jobsNow = 0;
  #nodesNow = 0;
  readonly #scenario: Pick<Scenario, 'flows' | 'fleet'>;

  constructor(scenario: Pick<Scenario, 'flows' | 'fleet'>) {
    this.#scenario = scenario;
  }

  onChange(event: StoreEvent): void {
    const { type, object, old, resourceType } = event;
    const concerns = old === undefined || type === 'DELETED' || concern(object) !== concern(old);
    switch (resourceType.plural) {
      case 'jobtemplates':
        if (concerns) this.asked += this.#scenario.flows.length;
        return;
      case 'nodes':
        if (type !== 'MODIFIED') this.#nodesNow += type === 'ADDED' ? 1 : -1;
        this.mostNodes = Math.max(this.mostNodes, this.#nodesNow);
        if (concerns) this.asked += this.#scenario.fleet?.daemonJobs.length ?? 0;
        return;
      case 'jobflows':
      case 'daemonjobs':
        if (concerns) this.asked += 1;
        this.versions[resourceType.plural] += 1;
        if (type === 'MODIFIED' && JSON.stringify(object.status) !== JSON.stringify(old?.status)) {
          this.statuses[resourceType.plural] += 1;
        }
        if (resourceType.plural === 'daemonjobs' && hasEnded(object)) {
          if (!hasEnded(old) || nonceOf(object) !== nonceOf(old)) this.ends += 1;
        }
        return;
      case 'pods':
        if (type === 'DELETED' || tale(object) !== (old && tale(old))) this.asked += 1;
        return;
      case 'jobs':
        if (concerns && object.metadata.labels?.[labels.ownerUid] !== undefined) this.asked += 1;
        if (type === 'ADDED') {
          this.jobs += 1;
          this.#jobsNow += 1;
        } else if (type === 'DELETED') this.#jobsNow -= 1;
        this.mostJobs = Math.max(this.mostJobs, this.#jobsNow);
    }
  }
}

/**
 * What of an object a flow or a DaemonJob can have to do with: its spec, that it is going, the wishes in our own
 * annotations and the edges of a Job's life; of a node whatever keeps Pods away. Counts, heartbeats, words and what is on record are none
 * of it.
 */
function concern({ kind, metadata, spec, status = {} }: KubeObject): string {
  const { generation, deletionTimestamp, annotations = {} } = metadata;
  const wishes = Object.entries(annotations).filter(([key]) => key.startsWith('millrace.dev/'));
  const { conditions, active, ready, terminating, startTime } = status as Fields;
  const facts = listOf(conditions).map(({ type, status: holds }) => [type, holds]);
  const common = [generation, deletionTimestamp, wishes];
  if (kind === 'JobFlow' || kind === 'DaemonJob') return JSON.stringify(common);
  if (kind === 'Node') return JSON.stringify([deletionTimestamp, metadata.labels, spec, facts]);
  const edges = [active, ready, terminating].map((count) => Number(count ?? 0) > 0);
  const job = [edges, startTime !== undefined, facts, metadata.ownerReferences];
  return JSON.stringify([...common, job]);
}

/** What a Pod tells a flow: that something holds it up, whatever the words, or how it ended. */
function tale({ status = {} }: KubeObject): string {
  const { phase, conditions, containerStatuses } = status as Fields;
  const unplaced = listOf(conditions).some(({ status: holds }) => holds === 'False');
  const states = listOf(containerStatuses).map(({ state }) => Object.keys(state ?? {}));
  return JSON.stringify([phase, unplaced, states]);
}

function hasEnded(object: KubeObject | undefined): boolean {
  const { state } = (object?.status ?? {}) as Fields;
  return state === 'Succeed' || state === 'Failed';
}

interface Fields {
  readonly [field: string]: Json | undefined;
}

function listOf(value: Json | undefined): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}

/** Of the retry that its status tells of. */
function nonceOf(object: KubeObject | undefined): unknown {
  return (object?.status as { readonly retryNonce?: string } | undefined)?.retryNonce;
}
