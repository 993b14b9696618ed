/** Users' actions on suspend policies and on governed objects. */
import { annotations } from '#shared/domain/labels.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { controllerOf, type JsonObject, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { ObjectStore } from '#sandbox';
import { namespace } from '../flow-objects.ts';
import { hasCondition } from '../invariants/flow-memory.ts';
import { batchJob, exceptionOf, policyObject, resourceOf } from './policy-objects.ts';
import type { BatchPlan, NightAction, NightPlan, PolicyPlan } from './policy-plans.ts';
import { tierLabel, tiers } from './policy-plans.ts';

export interface NightsOptions {
  readonly plan: NightPlan;
  readonly store: ObjectStore;
  readonly client: KubeClient;
  /** The API server's time at the start of virtual time, in milliseconds since the epoch. */
  readonly beginningMs: number;
  /** The API server's current time in milliseconds since the epoch. */
  readonly nowMs: () => number;
}

export class Nights {
  /** Counts how often each action found an object. */
  readonly done: Partial<Record<NightAction['kind'], number>> = {};
  readonly #options: NightsOptions;
  /** The plan of each former or existing policy, by uid. */
  readonly #plans = new Map<string, PolicyPlan>();

  constructor(options: NightsOptions) {
    this.#options = options;
  }

  async createPolicy(plan: PolicyPlan): Promise<void> {
    if (this.#policy(plan) !== undefined) return;
    const { client, beginningMs } = this.#options;
    const { metadata } = await client.create(resourceOf(plan), policyObject(plan, beginningMs));
    this.#plans.set(metadata.uid, plan);
  }

  async createJob(plan: BatchPlan): Promise<void> {
    await this.#options.client.create(resources.Job, batchJob(plan));
  }

  async act(action: NightAction): Promise<void> {
    const acted = action.kind.startsWith('policy')
      ? await this.#actOnPolicy(action)
      : await this.#actOnWork(action);
    if (acted) this.done[action.kind] = (this.done[action.kind] ?? 0) + 1;
  }

  /** Removes the users' own settings, on ended objects too, because an unseen retry revives them. */
  async makePeace(): Promise<void> {
    for (const object of this.#unowned()) {
      if (object.metadata.annotations?.[annotations.suspendOverride] === undefined) continue;
      await this.#annotate(object, { [annotations.suspendOverride]: null });
    }
  }

  /** A user resumes objects that no policy will resume. */
  async lookAfter(): Promise<void> {
    for (const object of this.#governable()) {
      if (isSuspended(object) && this.#isLeftTo(object)) await this.#suspend(object, false);
    }
  }

  #isLeftTo({ metadata }: KubeObject): boolean {
    const mark = metadata.annotations?.[annotations.suspendedBy];
    if (mark === undefined || mark.endsWith('/nothing')) return true;
    const [uid = ''] = mark.split('/');
    return (
      this.#options.store.byUid(uid) === undefined && this.#plans.get(uid)?.onDelete === 'Leave'
    );
  }

  async #actOnPolicy({ kind, index }: NightAction): Promise<boolean> {
    const { plan, client, nowMs, beginningMs } = this.#options;
    const own = plan.policies[index % plan.policies.length]!;
    const there = this.#policy(own);
    if (kind === 'policyRecreated') {
      if (there !== undefined) return false;
      await this.createPolicy(own);
      return true;
    }
    if (there?.metadata.deletionTimestamp !== undefined || there === undefined) return false;
    const target = { name: own.name, namespace: own.ofCluster === true ? '' : namespace };
    switch (kind) {
      case 'policyDeleted':
        await client.delete(resourceOf(own), target, { propagation: 'Background' });
        return true;
      case 'policyRescheduled': {
        const fromMs = nowMs() - beginningMs + (index % 3) * 1_000;
        const exceptions = [exceptionOf({ fromMs, toMs: fromMs + 6_000 }, beginningMs)];
        if (own.closed.length === 0) return false;
        await this.#edit(own, { schedule: { exceptions } });
        return true;
      }
      case 'policyResized':
        if (own.maxJobs === undefined) return false;
        await this.#edit(own, { capacity: { maxJobs: 1 + (index % 3) } });
        return true;
      default:
        return false;
    }
  }

  async #actOnWork({ kind, index }: NightAction): Promise<boolean> {
    const ofKind = kind === 'flowOverridden' ? 'JobFlow' : 'Job';
    const objects = this.#governable().filter((object) => object.kind === ofKind);
    const object = objects[index % Math.max(1, objects.length)];
    if (object === undefined) return false;
    switch (kind) {
      case 'batchResumed':
      case 'batchSuspended':
        if (isSuspended(object) === (kind === 'batchSuspended')) return false;
        return this.#suspend(object, kind === 'batchSuspended');
      case 'batchOverridden':
      case 'flowOverridden': {
        const wish = index % 2 === 0 ? 'Run' : 'Hold';
        return this.#annotate(object, { [annotations.suspendOverride]: wish });
      }
      case 'overrideLifted':
        if (object.metadata.annotations?.[annotations.suspendOverride] === undefined) return false;
        return this.#annotate(object, { [annotations.suspendOverride]: null });
      case 'batchDeleted': {
        const { name } = object.metadata;
        const options = { propagation: 'Background' } as const;
        await this.#options.client.delete(resources.Job, { namespace, name }, options);
        return true;
      }
      case 'batchRelabelled': {
        const tier = index % 3 === 2 ? null : tiers[index % tiers.length]!;
        return this.#patch(object, { metadata: { labels: { [tierLabel]: tier } } });
      }
      default:
        return false;
    }
  }

  /** Unfinished objects without an owner. */
  #governable(): readonly KubeObject[] {
    return this.#unowned().filter(isGovernable);
  }

  #unowned(): readonly KubeObject[] {
    const { store } = this.#options;
    const kinds = [resources.Job, resources.JobFlow, resources.DaemonJob];
    return kinds
      .flatMap((resource) => store.list(resource))
      .filter(({ metadata }) => controllerOf(metadata) === undefined);
  }

  #policy(plan: PolicyPlan): KubeObject | undefined {
    const where = plan.ofCluster === true ? '' : namespace;
    return this.#options.store.get(resourceOf(plan), where, plan.name);
  }

  #suspend(object: KubeObject, suspend: boolean): Promise<boolean> {
    return this.#patch(object, { spec: { suspend } });
  }

  #annotate(object: KubeObject, notes: JsonObject): Promise<boolean> {
    return this.#patch(object, { metadata: { annotations: notes } });
  }

  /** A stored object that its schema no longer accepts cannot be edited. */
  async #patch({ kind, metadata: { name } }: KubeObject, patch: JsonObject): Promise<boolean> {
    const resource = resources[kind as 'Job' | 'JobFlow' | 'DaemonJob'];
    try {
      await this.#options.client.patch(resource, { namespace, name }, patch, { type: 'merge' });
    } catch (error) {
      if (!hasCode(error, 'MR_API_INVALID')) throw error;
    }
    return true;
  }

  async #edit(plan: PolicyPlan, spec: JsonObject): Promise<void> {
    const target = { name: plan.name, namespace: plan.ofCluster === true ? '' : namespace };
    await this.#options.client.patch(resourceOf(plan), target, { spec }, { type: 'merge' });
  }
}

export function isSuspended({ spec }: KubeObject): boolean {
  return (spec as { readonly suspend?: boolean } | undefined)?.suspend === true;
}

/** Whether it has not ended, belongs to no object of Millrace and is not being deleted. */
export function isGovernable(object: KubeObject): boolean {
  const { kind, metadata, spec, status } = object;
  if (metadata.deletionTimestamp !== undefined || controllerOf(metadata) !== undefined)
    return false;
  if (kind === 'Job') return !hasCondition(object, 'Complete') && !hasCondition(object, 'Failed');
  const isEndless = (spec as { readonly completionPolicy?: string }).completionPolicy === 'Never';
  if (isEndless && isSuspended(object)) return true;
  const state = (status as { readonly state?: string } | undefined)?.state;
  return state !== 'Succeed' && state !== 'Failed';
}
