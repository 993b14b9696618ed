/**
 * What must never happen to an AppWrapper, judged at each commit and at rest, by facts alone.
 *
 * AW1 No component is created twice in one try, and each has a name that was on record before.
 * AW2 A component is created only while its AppWrapper is Resuming.
 * AW3 A phase is followed only by those of the table (facts of the original controller).
 * AW4 Quota is given back only when nothing is left that takes it.
 * AW5 It has Succeeded only when each of its Pods and Jobs has.
 * AW6 A fault that its status states is a fact: what is said to be deleted somebody deleted, what is said to have
 *     failed has failed, and Pods that are said not to run did not.
 * AW7 At rest it has succeeded or failed, nothing is left of one that holds no quota, and nothing of one that is gone.
 */
import type { AppWrapper, AppWrapperPhase } from '#shared/api/app-wrapper.ts';
import { type Condition, conditionStatus } from '#shared/domain/conditions.ts';
import { labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import { hasCondition } from '../invariants/flow-memory.ts';
import {
  newMemory,
  ofThisTry,
  present,
  type SeenObject,
  type WrapperMemory,
} from './wrapper-memory.ts';

export interface WrapperWitnessOptions {
  readonly store: () => ObjectStore;
  /** Virtual milliseconds. */
  readonly nowMs: () => number;
  /** Whether what is being committed is a write of ours. */
  readonly isOurs: () => boolean;
  /** When the server told the creator of an object last that its owner is as it was when that was decided. */
  readonly creatorToldAtMs: (object: KubeObject) => number | undefined;
  /** When the decision that is being written to the status of this object began to look at it. */
  readonly writerLookedAtMs: (object: Pick<KubeObject, 'metadata'>) => number | undefined;
}

type Phase = AppWrapperPhase | '';

const next: Readonly<Record<Phase, readonly Phase[]>> = {
  '': ['Suspended'],
  Suspended: ['Resuming'],
  Resuming: ['Running', 'Suspending', 'Resetting', 'Failed'],
  Running: ['Suspending', 'Resetting', 'Failed', 'Succeeded'],
  Suspending: ['Suspended'],
  Resetting: ['Suspending', 'Resuming'],
  Failed: [],
  Succeeded: [],
  Terminating: [],
};

export class WrapperWitness {
  readonly faults: string[] = [];
  readonly #options: WrapperWitnessOptions;
  readonly #memories = new Map<string, WrapperMemory>();

  constructor(options: WrapperWitnessOptions) {
    this.#options = options;
  }

  onChange(event: StoreEvent): void {
    const { object, resourceType } = event;
    if (resourceType.plural === 'appwrappers') this.#onWrapper(event);
    else if (isComponent(object)) this.#onComponent(event);
    else if (resourceType.plural === 'pods') this.#onPodOfJob(event);
  }

  /** Its creator could not know that nobody wanted it any more. */
  isStray({ metadata }: KubeObject): boolean {
    const root = this.#memories.get(metadata.labels?.[labels.ownerUid] ?? '');
    const seen = root?.components.get(metadata.uid) ?? root?.pods.get(metadata.uid);
    return seen?.isStray === true;
  }

  #onWrapper({ type, object }: StoreEvent): void {
    const { uid, name } = object.metadata;
    if (type === 'ADDED') this.#memories.set(uid, newMemory(name));
    const memory = this.#memories.get(uid);
    if (memory === undefined) return;
    const wrapper = object as unknown as AppWrapper;
    const { phase = '' } = wrapper.status ?? {};
    if (type === 'DELETED' && present(memory).length > 0) this.#blame('AW4', memory, 'is gone');
    if (type === 'DELETED') memory.leftResumingAtMs = this.#options.nowMs();
    this.#judgeQuota(wrapper, memory);
    if (phase === memory.phase) return;
    this.#judgePhase(wrapper, memory, phase);
    if (memory.phase === 'Resuming') memory.leftResumingAtMs = this.#options.nowMs();
    if (phase === 'Resuming') {
      memory.attempts += 1;
      memory.enoughSinceMs = Infinity;
    }
    memory.phase = phase;
  }

  #judgePhase(wrapper: AppWrapper, memory: WrapperMemory, phase: Phase): void {
    const isGoing = wrapper.metadata.deletionTimestamp !== undefined;
    const isAllowed = next[memory.phase].includes(phase) || (phase === 'Terminating' && isGoing);
    if (!isAllowed) this.#blame('AW3', memory, `went from ${memory.phase} to ${phase}`);
    if (phase === 'Succeeded') this.#judgeSuccess(wrapper, memory);
    if (phase === 'Failed' || phase === 'Resetting') this.#judgeFault(wrapper, memory);
  }

  #judgeQuota({ status }: AppWrapper, memory: WrapperMemory): void {
    const holds = conditionStatus(status?.conditions, 'QuotaReserved') === 'True';
    const gaveBack = memory.holdsQuota && !holds;
    memory.holdsQuota = holds;
    if (!gaveBack) return;
    // One that has succeeded gives it back with what has ended still there.
    const isSuccess = status?.phase === 'Succeeded';
    const left = present(memory).filter((each) => !isSuccess || takesQuota(each));
    if (left.length === 0) return;
    this.#blame('AW4', memory, `gave its quota back, and ${wordsOf(left)} is left`);
  }

  #judgeSuccess({ spec }: AppWrapper, memory: WrapperMemory): void {
    const seen = ofThisTry(memory);
    const unfinished = spec.components.filter(({ template }, part) => {
      if (template.kind !== 'Pod' && template.kind !== 'Job') return false;
      return !seen.some((each) => each.part === part && each.hasSucceeded);
    });
    if (unfinished.length === 0) return;
    const kinds = unfinished.map(({ template: { kind } }) => kind).join(', ');
    this.#blame('AW5', memory, `has Succeeded, and not every component has: ${kinds}`);
  }

  #judgeFault(wrapper: AppWrapper, memory: WrapperMemory): void {
    const unhealthy = wrapper.status?.conditions?.find(({ type }) => type === 'Unhealthy');
    if (unhealthy?.status !== 'True') {
      this.#blame('AW6', memory, `is ${wrapper.status?.phase ?? ''} without a fault`);
    } else if (!this.#isFact(wrapper, memory, unhealthy)) {
      this.#blame('AW6', memory, `states ${unhealthy.reason}: ${unhealthy.message}`);
    }
  }

  #isFact(wrapper: AppWrapper, memory: WrapperMemory, { reason }: Condition): boolean {
    const components = ofThisTry(memory);
    const pods = [...memory.pods.values()].filter(({ attempt }) => attempt === memory.attempts);
    switch (reason) {
      case 'MissingComponent':
        return components.some(({ deletedBy }) => deletedBy === 'others');
      case 'FailedComponent':
        return components.some(({ kind, hasFailed }) => kind === 'Job' && hasFailed);
      case 'FoundFailedPods':
        return [...components, ...pods].some(({ kind, hasFailed }) => kind === 'Pod' && hasFailed);
      case 'InsufficientPodsReady': {
        const lookedAtMs = this.#options.writerLookedAtMs(wrapper);
        return !(memory.enoughSinceMs < (lookedAtMs ?? -Infinity));
      }
      default:
        return reason === 'CreateFailed';
    }
  }

  #onComponent(event: StoreEvent): void {
    const { type, object } = event;
    const { uid, labels: all } = object.metadata;
    const memory = this.#memories.get(controllerOf(object.metadata)?.uid ?? '');
    if (memory === undefined) {
      this.faults.push(`AW1: ${object.metadata.name} belongs to an AppWrapper that never was`);
      return;
    }
    if (type === 'ADDED') this.#created(object, memory, Number(all?.[labels.component]));
    const seen = memory.components.get(uid);
    if (seen !== undefined) this.#follow(event, seen, memory);
  }

  #created(object: KubeObject, memory: WrapperMemory, part: number): void {
    const { metadata, kind } = object;
    const { name } = metadata;
    const wrapper = this.#wrapperOf(object);
    const isWanted = wrapper?.status?.phase === 'Resuming';
    const isStray = !isWanted && this.#isOvertaken(object, memory);
    if (!isWanted && !isStray) {
      this.#blame('AW2', memory, `is ${memory.phase}, and ${kind} ${name} is created`);
    }
    const recorded = wrapper?.status?.componentStatus?.[part]?.name;
    if (isWanted && recorded !== name) {
      this.#blame('AW1', memory, `has no record of ${kind} ${name}, which is created`);
    }
    const twins = ofThisTry(memory).filter(
      (each) => each.part === part && each.deletedBy !== 'others',
    );
    if (!isStray && twins.length > 0) {
      this.#blame('AW1', memory, `creates ${kind} ${name} a second time in one try`);
    }
    const attempt = memory.attempts;
    memory.components.set(metadata.uid, newObject({ kind, name, part, attempt, isStray }));
  }

  /** Nothing can fence a create that is on its way when its AppWrapper moves on. */
  #isOvertaken(object: KubeObject, { leftResumingAtMs }: WrapperMemory): boolean {
    const toldAtMs = this.#options.creatorToldAtMs(object);
    return toldAtMs !== undefined && leftResumingAtMs > toldAtMs;
  }

  #onPodOfJob(event: StoreEvent): void {
    const { object, type } = event;
    const { uid, name } = object.metadata;
    const job = controllerOf(object.metadata)?.uid ?? '';
    const memory = this.#memories.get(object.metadata.labels?.[labels.ownerUid] ?? '');
    const component = memory?.components.get(job);
    if (memory === undefined || component === undefined) return;
    const { part, attempt, isStray } = component;
    if (type === 'ADDED') {
      memory.pods.set(uid, newObject({ kind: 'Pod', name, part, attempt, isStray }));
    }
    const seen = memory.pods.get(uid);
    if (seen !== undefined) this.#follow(event, seen, memory);
  }

  #follow({ type, object }: StoreEvent, seen: SeenObject, memory: WrapperMemory): void {
    const { phase = '' } = (object.status ?? {}) as { readonly phase?: string };
    if (type === 'DELETED') seen.isGone = true;
    if (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined) {
      seen.deletedBy ??= this.#options.isOurs() ? 'us' : 'others';
    }
    seen.phase = phase;
    seen.hasSucceeded ||= phase === 'Succeeded' || hasCondition(object, 'Complete');
    seen.hasFailed ||= phase === 'Failed' || hasCondition(object, 'Failed');
    this.#countPods(object, memory);
  }

  #countPods(object: KubeObject, memory: WrapperMemory): void {
    const { spec } = this.#wrapperOf(object) ?? {};
    const seen = [...memory.components.values(), ...memory.pods.values()];
    const isEnough = (spec?.components ?? []).every(
      ({ template: { kind } }, part) =>
        (kind !== 'Pod' && kind !== 'Job') ||
        seen.some((each) => isOfPart(each, part, memory) && runsOrHasSucceeded(each)),
    );
    if (!isEnough) memory.enoughSinceMs = Infinity;
    else if (memory.enoughSinceMs === Infinity) memory.enoughSinceMs = this.#options.nowMs();
  }

  #wrapperOf({ metadata }: KubeObject): AppWrapper | undefined {
    const uid = metadata.labels?.[labels.ownerUid] ?? '';
    return this.#options.store().byUid(uid)?.object as unknown as AppWrapper | undefined;
  }

  isAtRest(): boolean {
    return this.unrest().length === 0;
  }

  /** What is left to be waited for. */
  unrest(): readonly string[] {
    const wrappers = this.#options.store().list(resources.AppWrapper);
    const waiting = (wrappers as unknown as readonly AppWrapper[]).filter((each) => !isOver(each));
    return [
      ...waiting.map(
        ({ metadata, spec, status }) =>
          `AW7: ${metadata.name} did not come to rest: ${JSON.stringify({ suspend: spec.suspend, status })}`,
      ),
      ...[...this.#memories].flatMap(([uid, memory]) => this.#leftOf(uid, memory)),
    ];
  }

  /** Also what nobody could know of when it was created. */
  #leftOf(uid: string, { name, components, pods }: WrapperMemory): readonly string[] {
    const wrapper = this.#options.store().byUid(uid)?.object as unknown as AppWrapper | undefined;
    if (conditionStatus(wrapper?.status?.conditions, 'ResourcesDeployed') === 'True') return [];
    const left = [...components.values(), ...pods.values()].filter(({ isGone }) => !isGone);
    return left.length === 0 ? [] : [`AW7: of ${name} ${wordsOf(left)} is left`];
  }

  #blame(rule: string, { name }: WrapperMemory, why: string): void {
    this.faults.push(`${rule}: AppWrapper ${name} ${why}`);
  }
}

/** Its Workload is none. */
function isComponent({ metadata }: KubeObject): boolean {
  const isLabelled = metadata.labels?.[labels.component] !== undefined;
  return isLabelled && controllerOf(metadata)?.kind === 'AppWrapper';
}

function newObject(
  seen: Pick<SeenObject, 'kind' | 'name' | 'part' | 'attempt' | 'isStray'>,
): SeenObject {
  return { ...seen, isGone: false, hasFailed: false, hasSucceeded: false, phase: '' };
}

function isOfPart(each: SeenObject, part: number, { attempts }: WrapperMemory): boolean {
  return each.part === part && each.attempt === attempts && !each.isStray;
}

function runsOrHasSucceeded({ kind, phase, isGone, deletedBy, hasSucceeded }: SeenObject): boolean {
  const runs = kind === 'Pod' && phase === 'Running' && !isGone && deletedBy === undefined;
  return runs || hasSucceeded;
}

function takesQuota({ kind, phase, hasSucceeded, hasFailed }: SeenObject): boolean {
  if (kind === 'Job') return !hasSucceeded && !hasFailed;
  return kind === 'Pod' && phase !== 'Succeeded' && phase !== 'Failed';
}

function wordsOf(seen: readonly SeenObject[]): string {
  return seen.map(({ kind, name }) => `${kind} ${name}`).join(', ');
}

/** Its resources may stay for long after a success. */
function isOver({ metadata, status }: AppWrapper): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const isDeployed = conditionStatus(status?.conditions, 'ResourcesDeployed') === 'True';
  const expires = Object.keys(metadata.annotations ?? {}).some((key) =>
    key.endsWith('successTTLDuration'),
  );
  if (status?.phase === 'Succeeded') return !isDeployed || !expires;
  return status?.phase === 'Failed' && !isDeployed;
}
