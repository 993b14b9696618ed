/** Users' actions on a scenario's DaemonJobs and their Jobs. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { frozenDaemonJobHash } from '#shared/api/daemon-job-rules.ts';
import { nodeKey, readLedger } from '#shared/api/node-ledger.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { excludedNodes } from '#shared/domain/excluded-nodes.ts';
import { nodeJobName } from '#shared/domain/node-job-name.ts';
import {
  asUid,
  controllerOf,
  type Json,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { ObjectStore } from '#sandbox';
import { foreignJob, namespace } from '../flow-objects.ts';
import { without } from '../model/look.ts';
import { daemonObject, zoneOf } from './daemon-objects.ts';
import type { DaemonPlan, FleetAction } from './daemon-plans.ts';

export interface DaemonUserOptions {
  readonly plans: readonly DaemonPlan[];
  readonly store: ObjectStore;
  readonly client: KubeClient;
  /** Notes are kept of removed Jobs, so that a Job may be deleted before a status records it. */
  readonly keepsNotes: boolean;
}

const edited = { labels: { edit: 'forbidden' } };

export class DaemonUser {
  readonly #options: DaemonUserOptions;
  #nonces = 0;

  constructor(options: DaemonUserOptions) {
    this.#options = options;
  }

  async create(plan: DaemonPlan): Promise<void> {
    if (this.#daemonJob(plan.name) !== undefined) return;
    await this.#options.client.create(resources.DaemonJob, daemonObject(plan));
    if (plan.contradicts !== true) return;
    // As if it had been stored before the rule that forbids it.
    const contradiction = { completionPolicy: 'Never', ttlSecondsAfterFinished: 60 };
    this.#overwrite(plan.name, { ...contradiction, suspend: undefined });
  }

  /** False: there was no object for the action. */
  async act({ kind, index }: FleetAction): Promise<boolean> {
    const { plans } = this.#options;
    const plan = plans[index % plans.length]!;
    const { name } = plan;
    const daemonJob = this.#daemonJob(name);
    if (kind === 'daemonRecreated') {
      if (daemonJob !== undefined) await this.#delete(name, index);
      if (this.#daemonJob(name) !== undefined) return false;
      await this.create(plan);
      return true;
    }
    if (kind === 'daemonNameTaken') return this.#takeName(plan, index);
    if (daemonJob === undefined) return false;
    switch (kind) {
      case 'daemonDeleted':
        return this.#delete(name, index);
      case 'daemonSuspended':
      case 'daemonResumed':
        return this.#edit(name, { suspend: kind === 'daemonSuspended' });
      case 'daemonPaused':
      case 'daemonUnpaused':
        return this.#edit(name, { paused: kind === 'daemonPaused' });
      case 'daemonShutDown':
        return this.#edit(name, { shutdown: shutdowns[index % shutdowns.length]! });
      case 'daemonExcludes': {
        const [node] = this.#nodes();
        const without = [...plan.exclude, ...(index % 2 === 0 ? [node?.metadata.name ?? ''] : [])];
        return this.#edit(name, { excludeNodeList: without.join(',') });
      }
      case 'daemonExclusionsLifted':
        return this.#edit(name, { excludeNodeList: '' });
      case 'daemonRetried': {
        this.#nonces += 1;
        const notes = { [annotations.retry]: `retry-${this.#nonces}` };
        return this.#patch(name, { metadata: { annotations: notes } });
      }
      case 'daemonPolicyEdited':
        return this.#edit(name, { failurePolicy: policies[index % policies.length]! });
      case 'daemonFrozenEdited':
        return this.#overwrite(name, { globalParams: edited });
      case 'daemonFrozenRestored':
        return this.#restore(daemonJob as unknown as DaemonJob);
      case 'daemonChildDeleted':
      case 'daemonChildSuspended':
        return this.#meddle(kind, daemonJob as unknown as DaemonJob, index);
      default:
        return false;
    }
  }

  /**
   * Nodes that must be in this zone. Otherwise a DaemonJob would have no node, or would retry a failed node
   * that is no longer selected.
   */
  missedIn(zone: string): readonly string[] {
    const daemonJobs = this.#options.store.list(resources.DaemonJob) as unknown as DaemonJob[];
    return daemonJobs.flatMap(({ metadata, spec, status }) => {
      const plan = this.#options.plans.find(({ name }) => name === metadata.name);
      if (plan?.selects === undefined) return [];
      const excluded = excludedNodes(spec.excludeNodeList);
      const open = this.#nodes().filter((node) => !excluded.has(node.metadata.name));
      const ledger = readLedger(status?.ledger);
      const outside = open.filter((node) => zoneOf(node) !== zone);
      const awaited = outside.filter(({ metadata: { uid } }) => {
        const state = ledger.get(nodeKey(asUid(uid)))?.state;
        return state !== undefined && state !== 'Succeeded';
      });
      const missed = outside.length < open.length ? awaited : [...awaited, ...open.slice(0, 1)];
      return missed.map((node) => node.metadata.name);
    });
  }

  /** Removes every obstacle of DaemonJobs. */
  async makePeace(): Promise<void> {
    const { store } = this.#options;
    for (const daemonJob of store.list(resources.DaemonJob) as unknown as readonly DaemonJob[]) {
      this.#restore(daemonJob);
      const { spec, metadata } = daemonJob;
      const wanted = {
        ...(spec.suspend === true ? { suspend: false } : {}),
        ...(spec.paused === true ? { paused: false } : {}),
        ...(spec.failurePolicy === 'Pause' ? { failurePolicy: 'Continue' } : {}),
      };
      if (Object.keys(wanted).length > 0) await this.#edit(metadata.name, wanted);
    }
  }

  /** Acts on a recorded Job: whether an unrecorded one existed could not be verified. */
  async #meddle(
    kind: FleetAction['kind'],
    { metadata, status }: Pick<DaemonJob, 'metadata' | 'status'>,
    index: number,
  ): Promise<boolean> {
    const { store, client, keepsNotes } = this.#options;
    const ledger = readLedger(status?.ledger);
    const isKnown = ({ metadata: own }: KubeObject): boolean => {
      const entry = ledger.get(nodeKey(asUid(own.labels?.[labels.nodeUid] ?? '')));
      const isOnRecord = String(entry?.attempt) === own.labels?.[labels.attempt];
      return entry !== undefined && (keepsNotes || isOnRecord);
    };
    const jobs = store
      .list(resources.Job)
      .filter((job) => controllerOf(job.metadata)?.uid === metadata.uid && isKnown(job));
    const { name, deletionTimestamp } = jobs[index % Math.max(1, jobs.length)]?.metadata ?? {};
    if (name === undefined || deletionTimestamp !== undefined) return false;
    const target = { namespace, name };
    if (kind === 'daemonChildDeleted') {
      await client.delete(resources.Job, target, { propagation: propagationOf(index) });
    } else {
      await client.patch(resources.Job, target, { spec: { suspend: true } }, { type: 'merge' });
    }
    return true;
  }

  async #takeName(plan: DaemonPlan, index: number): Promise<boolean> {
    const nodes = this.#nodes();
    const node = nodes[index % Math.max(1, nodes.length)];
    if (node === undefined) return false;
    const name = nodeJobName(plan.name, node.metadata.name, index % 3 === 0 ? 1 : 0);
    const { store, client } = this.#options;
    if (store.get(resources.Job, namespace, name) !== undefined) return false;
    await client.create(resources.Job, foreignJob(name));
    return true;
  }

  /** Restores its spec from the start. */
  #restore({ metadata: { name }, spec, status }: Pick<DaemonJob, 'metadata' | 'spec' | 'status'>) {
    const wanted = status?.specHash;
    if (wanted === undefined || frozenDaemonJobHash(spec) === wanted) return false;
    const plan = this.#options.plans.find((each) => each.name === name)!;
    const { globalParams: before } = daemonObject(plan).spec as DaemonJob['spec'];
    const right = [before, edited].find((globalParams) => {
      const rest = without(spec, 'globalParams') as DaemonJob['spec'];
      return frozenDaemonJobHash(globalParams ? { ...rest, globalParams } : rest) === wanted;
    });
    return this.#overwrite(name, { globalParams: right });
  }

  /** As if it had been stored before the rule that forbids it. */
  #overwrite(name: string, change: Readonly<Record<string, JsonObject[string] | undefined>>) {
    const { store } = this.#options;
    const daemonJob = this.#daemonJob(name);
    const type = daemonJob && store.byUid(daemonJob.metadata.uid)?.type;
    if (type === undefined) return false;
    const spec = Object.entries({ ...(daemonJob?.spec as JsonObject), ...change }).filter(
      ([, value]) => value !== undefined,
    );
    const { metadata } = daemonJob!;
    const generation = (metadata.generation ?? 0) + 1;
    store.put(type, {
      ...daemonJob!,
      metadata: { ...metadata, generation },
      spec: Object.fromEntries<JsonObject[string] | undefined>(spec),
    });
    return true;
  }

  #nodes(): readonly KubeObject[] {
    return this.#options.store.list(resources.Node);
  }

  #daemonJob(name: string): KubeObject | undefined {
    return this.#options.store.get(resources.DaemonJob, namespace, name);
  }

  #edit(name: string, spec: JsonObject): Promise<boolean> {
    return this.#patch(name, { spec });
  }

  /** A contradictory object accepts no edit. */
  async #patch(name: string, patch: JsonObject): Promise<boolean> {
    const target = { namespace, name };
    try {
      await this.#options.client.patch(resources.DaemonJob, target, patch, { type: 'merge' });
    } catch (error) {
      if (!hasCode(error, 'MR_API_INVALID')) throw error;
    }
    return true;
  }

  async #delete(name: string, index: number): Promise<boolean> {
    const propagation = propagationOf(index);
    await this.#options.client.delete(resources.DaemonJob, { namespace, name }, { propagation });
    return true;
  }
}

/** Values that end it early, and that revert this. */
const shutdowns: readonly Json[] = ['Stop', 'Terminate', null, 'Stop', 'Terminate'];

const policies = ['Continue', 'FailFast', 'Pause'];

function propagationOf(index: number): 'Background' | 'Foreground' {
  return index % 2 === 0 ? 'Background' : 'Foreground';
}
