/** The AppWrappers of a scenario: users' actions, and how long wrapped objects run. */
import type { AppWrapper } from '#shared/api/app-wrapper.ts';
import { labels } from '#shared/domain/labels.ts';
import { controllerOf, type JsonObject, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { ObjectStore } from '#sandbox';
import { namespace } from '../flow-objects.ts';
import { isInQueue } from '../queues/queues.ts';
import type { JobPlan } from '../world/job-controller.ts';
import { wrapperObject } from './wrapper-objects.ts';
import type { WrapperAction, WrapperPlan } from './wrapper-plans.ts';

export interface WrapperUserOptions {
  readonly plans: readonly WrapperPlan[];
  readonly store: ObjectStore;
  readonly client: KubeClient;
  /** A Pod of this Job is lost, and the Job controller creates another one. */
  readonly onPodLost: (job: KubeObject) => void;
}

export class WrapperUser {
  /** Counts how often each action found an object. */
  readonly done: Partial<Record<WrapperAction['kind'], number>> = {};
  readonly #options: WrapperUserOptions;

  constructor(options: WrapperUserOptions) {
    this.#options = options;
  }

  async create(plan: WrapperPlan): Promise<void> {
    if (this.#find(plan.name) !== undefined) return;
    await this.#options.client.create(resources.AppWrapper, wrapperObject(plan));
  }

  async act(action: WrapperAction): Promise<void> {
    const { plans } = this.#options;
    const plan = plans[action.index % plans.length]!;
    if (await this.#attempt(action, plan)) {
      this.done[action.kind] = (this.done[action.kind] ?? 0) + 1;
    }
  }

  /** Resumes everything that needs no quota. */
  async makePeace(): Promise<void> {
    for (const { name } of this.#options.plans) {
      const wrapper = this.#find(name);
      if (wrapper?.spec.suspend !== true || isInQueue(wrapper.metadata)) continue;
      await this.#edit(name, { suspend: false });
    }
  }

  /** The plan of a wrapped Pod or Job. Undefined: it belongs to no existing AppWrapper. */
  planOf({ metadata }: KubeObject): JobPlan | undefined {
    const owner = controllerOf(metadata);
    const plan = this.#options.plans.find(({ name }) => name === owner?.name);
    const part = plan?.parts[Number(metadata.labels?.[labels.component])];
    if (part === undefined) return undefined;
    const { runMs = 0, failures = 0, exitCode } = part;
    const tries = this.#find(owner!.name)?.status?.resettingCount ?? 0;
    return {
      runMs,
      failures: tries < failures ? 1 : 0,
      showsPods: true,
      ...(exitCode === undefined ? {} : { exitCode }),
    };
  }

  /** False: there was no object for the action. */
  async #attempt({ kind, choice }: WrapperAction, plan: WrapperPlan): Promise<boolean> {
    const { name } = plan;
    const wrapper = this.#find(name);
    if (kind === 'wrapperRecreated' && wrapper === undefined) {
      await this.create(plan);
      return true;
    }
    if (wrapper === undefined) return false;
    switch (kind) {
      case 'wrapperDeleted':
      case 'wrapperRecreated':
        await this.#options.client.delete(
          resources.AppWrapper,
          { namespace, name },
          { propagation: choice % 2 === 0 ? 'Background' : 'Foreground' },
        );
        return true;
      case 'wrapperSuspended':
        return this.#edit(name, { suspend: true });
      case 'wrapperResumed':
        // Objects that wait for quota are never resumed by hand.
        return plan.queue === undefined && this.#edit(name, { suspend: false });
      case 'componentDeleted':
        return this.#deleteComponent(wrapper, choice);
      case 'wrappedPodDeleted': {
        const jobs = this.#componentsOf(wrapper).filter((each) => each.kind === 'Job');
        const job = jobs[choice % Math.max(1, jobs.length)];
        if (job !== undefined) this.#options.onPodLost(job);
        return job !== undefined;
      }
    }
  }

  async #deleteComponent(wrapper: AppWrapper, choice: number): Promise<boolean> {
    const { store, client } = this.#options;
    const components = this.#componentsOf(wrapper);
    const component = components[choice % Math.max(1, components.length)];
    const resource = component && store.byUid(component.metadata.uid)?.type;
    if (component === undefined || resource === undefined) return false;
    const { name } = component.metadata;
    const propagation = choice % 2 === 0 ? 'Background' : 'Foreground';
    await client.delete(resource, { namespace, name }, { propagation });
    return true;
  }

  #componentsOf({ metadata }: Pick<AppWrapper, 'metadata'>): readonly KubeObject[] {
    const dependents = this.#options.store.dependentsOf(metadata.uid);
    const inOrder = dependents.map(({ object }) => object);
    return inOrder.filter((each) => each.metadata.labels?.[labels.component] !== undefined);
  }

  #find(name: string): AppWrapper | undefined {
    const found = this.#options.store.get(resources.AppWrapper, namespace, name);
    return found as unknown as AppWrapper | undefined;
  }

  async #edit(name: string, spec: JsonObject): Promise<boolean> {
    const target = { namespace, name };
    await this.#options.client.patch(resources.AppWrapper, target, { spec }, { type: 'merge' });
    return true;
  }
}
