/**
 * Invariants of an AppWrapper, judged at each commit and at rest, by facts alone.
 *
 * wrapper-1 No component is created twice in one try, and its name was recorded before.
 * wrapper-2 A component is created only while its AppWrapper is Resuming.
 * wrapper-3 A phase is followed only by those of the table (facts of the original controller).
 * wrapper-4 Quota is given back only when nothing that uses it is left.
 * wrapper-5 It is Succeeded only when each of its Pods and Jobs has succeeded.
 * wrapper-6 A fault in its status is a fact. A reported deletion was made by another party, a reported failure
 *    happened, and Pods reported as not running did not run.
 * wrapper-7 At rest it has succeeded or failed. Nothing is left of one without quota, or of one that is gone.
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
  /** Whether the current commit is Millrace's write. */
  readonly isOurs: () => boolean;
  /** When the server last confirmed to an object's creator that the owner was still the decided version. */
  readonly creatorConfirmedAtMs: (object: KubeObject) => number | undefined;
  /** When the decision behind the current status write began to look at this object. */
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

  /** Its creator could not know that it was no longer wanted. */
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
    if (type === 'DELETED' && present(memory).length > 0)
      this.#blame('wrapper-4', memory, 'is gone');
    if (type === 'DELETED') memory.leftResumingAtMs = this.#options.nowMs();
    this.#judgeQuota(wrapper, memory);
    if (phase === memory.phase) return;
    this.#judgePhase(wrapper, memory, phase);
    if (memory.phase === 'Resuming') memory.leftResumingAtMs = this.#options.nowMs();
    if (phase === 'Resuming') {
      memory.attempts += 1;
      memory.enoughSinceMs = Infinity;
      adoptStrays(memory);
    }
    memory.phase = phase;
  }

  #judgePhase(wrapper: AppWrapper, memory: WrapperMemory, phase: Phase): void {
    const isGoing = wrapper.metadata.deletionTimestamp !== undefined;
    const isAllowed = next[memory.phase].includes(phase) || (phase === 'Terminating' && isGoing);
    if (!isAllowed) this.#blame('wrapper-3', memory, `went from ${memory.phase} to ${phase}`);
    if (phase === 'Succeeded') this.#judgeSuccess(wrapper, memory);
    if (phase === 'Failed' || phase === 'Resetting') this.#judgeFault(wrapper, memory);
  }

  #judgeQuota({ status }: AppWrapper, memory: WrapperMemory): void {
    const holds = conditionStatus(status?.conditions, 'QuotaReserved') === 'True';
    const gaveBack = memory.holdsQuota && !holds;
    memory.holdsQuota = holds;
    if (!gaveBack) return;
    // A successful one gives it back while ended objects still exist.
    const isSuccess = status?.phase === 'Succeeded';
    const left = present(memory).filter((each) => !isSuccess || takesQuota(each));
    if (left.length === 0) return;
    this.#blame('wrapper-4', memory, `gave its quota back, and ${wordsOf(left)} is left`);
  }

  #judgeSuccess({ spec }: AppWrapper, memory: WrapperMemory): void {
    const seen = ofThisTry(memory);
    const unfinished = spec.components.filter(({ template }, part) => {
      if (template.kind !== 'Pod' && template.kind !== 'Job') return false;
      return !seen.some((each) => each.part === part && each.hasSucceeded);
    });
    if (unfinished.length === 0) return;
    const kinds = unfinished.map(({ template: { kind } }) => kind).join(', ');
    this.#blame('wrapper-5', memory, `has Succeeded, and not every component has: ${kinds}`);
  }

  #judgeFault(wrapper: AppWrapper, memory: WrapperMemory): void {
    const unhealthy = wrapper.status?.conditions?.find(({ type }) => type === 'Unhealthy');
    if (unhealthy?.status !== 'True') {
      this.#blame('wrapper-6', memory, `is ${wrapper.status?.phase ?? ''} without a fault`);
    } else if (!this.#isFact(wrapper, memory, unhealthy)) {
      this.#blame('wrapper-6', memory, `states ${unhealthy.reason}: ${unhealthy.message}`);
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
      this.faults.push(
        `wrapper-1: ${object.metadata.name} belongs to an AppWrapper that never was`,
      );
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
      this.#blame('wrapper-2', memory, `is ${memory.phase}, and ${kind} ${name} is created`);
    }
    const recorded = wrapper?.status?.componentStatus?.[part]?.name;
    if (isWanted && recorded !== name) {
      this.#blame('wrapper-1', memory, `has no record of ${kind} ${name}, which is created`);
    }
    const twins = ofThisTry(memory).filter(
      (each) => each.part === part && each.deletedBy !== 'others',
    );
    if (!isStray && twins.length > 0) {
      this.#blame('wrapper-1', memory, `creates ${kind} ${name} a second time in one try`);
    }
    const attempt = memory.attempts;
    memory.components.set(metadata.uid, newObject({ kind, name, part, attempt, isStray }));
  }

  /** Nothing can fence a create that is on its way when its AppWrapper's phase changes. */
  #isOvertaken(object: KubeObject, { leftResumingAtMs }: WrapperMemory): boolean {
    const confirmedAtMs = this.#options.creatorConfirmedAtMs(object);
    return confirmedAtMs !== undefined && leftResumingAtMs > confirmedAtMs;
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

  /** The pending work. */
  unrest(): readonly string[] {
    const wrappers = this.#options.store().list(resources.AppWrapper);
    const waiting = (wrappers as unknown as readonly AppWrapper[]).filter((each) => !isOver(each));
    return [
      ...waiting.map(
        ({ metadata, spec, status }) =>
          `wrapper-7: ${metadata.name} did not come to rest: ${JSON.stringify({ suspend: spec.suspend, status })}`,
      ),
      ...[...this.#memories].flatMap(([uid, memory]) => this.#leftOf(uid, memory)),
    ];
  }

  /** Includes objects that could not be known when they were created. */
  #leftOf(uid: string, { name, components, pods }: WrapperMemory): readonly string[] {
    const wrapper = this.#options.store().byUid(uid)?.object as unknown as AppWrapper | undefined;
    if (conditionStatus(wrapper?.status?.conditions, 'ResourcesDeployed') === 'True') return [];
    const left = [...components.values(), ...pods.values()].filter(({ isGone }) => !isGone);
    return left.length === 0 ? [] : [`wrapper-7: of ${name} ${wordsOf(left)} is left`];
  }

  #blame(rule: string, { name }: WrapperMemory, why: string): void {
    this.faults.push(`${rule}: AppWrapper ${name} ${why}`);
  }
}

/** Its Workload is not a component. */
function isComponent({ metadata }: KubeObject): boolean {
  const isLabelled = metadata.labels?.[labels.component] !== undefined;
  return isLabelled && controllerOf(metadata)?.kind === 'AppWrapper';
}

function newObject(
  seen: Pick<SeenObject, 'kind' | 'name' | 'part' | 'attempt' | 'isStray'>,
): SeenObject {
  return { ...seen, isGone: false, hasFailed: false, hasSucceeded: false, phase: '' };
}

/** A create of an earlier try that arrived late has the name and the owner, so the next try takes it as its own. */
function adoptStrays({ attempts, components, pods }: WrapperMemory): void {
  for (const each of [...components.values(), ...pods.values()]) {
    if (!each.isStray || each.isGone || each.deletedBy !== undefined) continue;
    each.attempt = attempts;
    each.isStray = false;
  }
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
