/** What was committed in one run, as far as it may ask for work: what budgets are made of. */
import { labels } from '#shared/domain/labels.ts';
import type { Json, KubeObject } from '#shared/domain/objects.ts';
import type { StoreEvent } from '#sandbox';

export class Deeds {
  /** Items of work that a bridge may be asked for by what was committed. */
  asked = 0;
  /** Jobs that were created. */
  jobs = 0;
  /** Changes of the status of flows. */
  statuses = 0;
  /** Jobs at once, at most. */
  mostJobs = 0;
  #jobsNow = 0;
  /** Flows that a template may concern. */
  readonly #flows: number;

  constructor(flows: number) {
    this.#flows = flows;
  }

  onChange(event: StoreEvent): void {
    const { type, object, old, resourceType } = event;
    const concerns = old === undefined || type === 'DELETED' || concern(object) !== concern(old);
    switch (resourceType.plural) {
      case 'jobtemplates':
        if (concerns) this.asked += this.#flows;
        return;
      case 'jobflows':
        if (concerns) this.asked += 1;
        if (type === 'MODIFIED' && JSON.stringify(object.status) !== JSON.stringify(old?.status)) {
          this.statuses += 1;
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
 * What of an object a flow can have to do with: its spec, that it is going, the wishes in our own
 * annotations and the edges of a Job's life. Counts, heartbeats, words and the record of a flow are none
 * of it.
 */
function concern({ metadata, status = {} }: KubeObject): string {
  const { generation, deletionTimestamp, annotations = {} } = metadata;
  const wishes = Object.entries(annotations).filter(([key]) => key.startsWith('millrace.dev/'));
  const { jobStatusList, conditions, active, ready, terminating, startTime } = status as Fields;
  const isFlow = jobStatusList !== undefined;
  const edges = [active, ready, terminating].map((count) => Number(count ?? 0) > 0);
  const facts = listOf(conditions).map(({ type, status: holds }) => [type, holds]);
  const job = isFlow ? [] : [edges, startTime !== undefined, facts, metadata.ownerReferences];
  return JSON.stringify([generation, deletionTimestamp, wishes, job]);
}

/** What a Pod tells a flow: that something holds it up, whatever the words, or how it ended. */
function tale({ status = {} }: KubeObject): string {
  const { phase, conditions, containerStatuses } = status as Fields;
  const unplaced = listOf(conditions).some(({ status: holds }) => holds === 'False');
  const states = listOf(containerStatuses).map(({ state }) => Object.keys(state ?? {}));
  return JSON.stringify([phase, unplaced, states]);
}

interface Fields {
  readonly [field: string]: Json | undefined;
}

function listOf(value: Json | undefined): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}
