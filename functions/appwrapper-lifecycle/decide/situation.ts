/** The snapshot, prepared for the deciders of all phases. */
import {
  type AppWrapper,
  type AppWrapperStatus,
  type Component,
  type ComponentStatus,
} from '#shared/api/app-wrapper.ts';
import type { Condition } from '#shared/domain/conditions.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { parseTime } from '#shared/domain/time.ts';
import { defaultRules, type WrapperRules } from '../rules.ts';
import { settingsOf, type FaultTolerance } from '../settings.ts';
import type { LifecycleSnapshot, ObservedComponent } from '../snapshot.ts';

export interface Situation {
  readonly snapshot: LifecycleSnapshot;
  readonly wrapper: AppWrapper;
  readonly status: AppWrapperStatus;
  /** One for each component, in the order of the spec. */
  readonly parts: readonly Part[];
  readonly settings: FaultTolerance;
  readonly rules: WrapperRules;
  readonly nowMs: number;
}

/** A component: as specified, as recorded and as observed. */
export interface Part {
  readonly index: number;
  readonly component: Component;
  readonly recorded: ComponentStatus;
  readonly observed: ObservedComponent;
}

export type Decider = (situation: Situation) => Decision;

export type WrapperCondition =
  | 'QuotaReserved'
  | 'ResourcesDeployed'
  | 'PodsReady'
  | 'Unhealthy'
  | 'DeletingResources'
  /** Only Millrace: since when it has succeeded or failed. */
  | 'Finished'
  /** Only Millrace: it has more Pods than its podSets declare, and so than it has quota for. */
  | 'PodsExceeded';

export function openSituation(snapshot: LifecycleSnapshot, nowMs: number): Situation {
  const { wrapper } = snapshot;
  const { rules = defaultRules } = snapshot;
  const settings = settingsOf(wrapper.metadata, rules.faults, rules.graceCeilingMs);
  const status = wrapper.status ?? {};
  const parts = wrapper.spec.components.map((component, index) => ({
    index,
    component,
    recorded: status.componentStatus?.[index] ?? unrecorded(component),
    observed: snapshot.components[index] ?? {},
  }));
  return { snapshot, wrapper, status, parts, settings, rules, nowMs };
}

function unrecorded({ template: { apiVersion, kind }, podSets = [] }: Component): ComponentStatus {
  return { name: '', kind, apiVersion, podSets };
}

export function conditionOf(
  { status }: Pick<Situation, 'status'>,
  type: WrapperCondition,
): Condition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

export function holds(situation: Pick<Situation, 'status'>, type: WrapperCondition): boolean {
  return conditionOf(situation, type)?.status === 'True';
}

/** When the condition last changed, milliseconds since the epoch. Now, if it was never reported. */
export function sinceMs(situation: Situation, type: WrapperCondition): number {
  return parseTime(conditionOf(situation, type)?.lastTransitionTime) ?? situation.nowMs;
}

export function isSuspended({ wrapper }: Situation): boolean {
  return wrapper.spec.suspend === true;
}

/** For example `Pod sample`. */
export function wordsOf({ recorded: { kind, name } }: Part): string {
  return name === '' ? kind : `${kind} ${name}`;
}
