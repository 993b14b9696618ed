/** The model of a kind in the simulation: it names the judged decisions and judges them. */
import type { Decision, DecisionInput } from '#shared/domain/decision.ts';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import type { Scenario } from '../scenario.ts';
import type { Machine } from '../world/machine.ts';
import type { Life } from '../world/timeline.ts';
import type { ChildHistory, Sight } from './child-history.ts';
import type { Freedom } from './freedom.ts';

/** Methods, so that a list may hold kinds with different snapshots. */
export interface JudgedKind<Snapshot = unknown> {
  /** The function whose decisions are judged. */
  readonly fn: EventFunction<Snapshot>;
  /**
   * Whether a scenario has objects for it. An unneeded function does not run, as in a cluster without it.
   */
  plays(scenario: Scenario): boolean;
  /** Other kinds of objects that may get its Events. */
  readonly reportsOn?: readonly string[];
  /** The object of its snapshot. */
  about(snapshot: Snapshot): ObjectMeta;
  /** Whether its record would be contradicted by a Job that another run created and could not record. */
  leavesOut?(snapshot: Snapshot, operation: Operation): boolean;
  newModel(children: ChildHistory): KindModel<Snapshot>;
}

export interface KindModel<Snapshot = unknown> {
  /** Call it with every commit, after the children's history; returns the faults. */
  onChange(event: StoreEvent): readonly string[];
  /** The API server refused an Event. Returns whether it was about an object of this kind. */
  onLostEvent(name: string): boolean;
  verdictOn(pass: Pass<Snapshot>): PassVerdict;
  /** The faults of objects at rest. */
  restFaults(truth: Truth): readonly string[];
}

/** The input and result of a pass. */
export interface Pass<Snapshot = unknown> {
  readonly kind: JudgedKind;
  readonly life: Life;
  readonly machine: Machine;
  readonly snapshot: Snapshot;
  /** The decided object as it was read. */
  readonly about: ObjectMeta;
  readonly nowMs: number;
  readonly isUnderLoad?: DecisionInput['isUnderLoad'];
  readonly decision: Decision;
  /** The object's version that the process knew by its own write when it began to observe. */
  readonly known: string | undefined;
  /** When it began to observe, in virtual milliseconds. */
  readonly sinceMs: number;
  /** When it decided, in virtual milliseconds. */
  readonly decidedAtMs: number;
  /** Its process has views, so it need not ask the API server. */
  readonly readsViews: boolean;
  /** Its reads of Jobs, Pods and nodes. */
  readonly sight: Sight;
}

export interface PassVerdict {
  readonly faults: readonly string[];
  /** Where the rules permitted another outcome than the truth would give. */
  readonly freedoms: readonly Freedom[];
}

export interface Truth {
  readonly store: ObjectStore;
  /** By the API server's clock, in milliseconds since the epoch. */
  readonly nowMs: number;
  readonly clocksAreRight: boolean;
}

/** For a kind that is judged by the effects of its decisions, without a model of them. */
export const noModel: KindModel = {
  onChange: () => [],
  onLostEvent: () => false,
  verdictOn: () => ({ faults: [], freedoms: [] }),
  restFaults: () => [],
};
