/** How the model of a kind joins the simulation: it says whose decisions it judges, and judges them. */
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

/** Methods, not members: a list of kinds need not know what is in their snapshots. */
export interface JudgedKind<Snapshot = unknown> {
  /** The function whose decisions are judged. */
  readonly fn: EventFunction<Snapshot>;
  /** Whether a scenario has anything for it: what nobody needs does not run, as in a cluster without it. */
  plays(scenario: Scenario): boolean;
  /** On which other kinds of objects it may tell Events. */
  readonly tellsOn?: readonly string[];
  /** Of the object that a snapshot of it is about. */
  about(snapshot: Snapshot): ObjectMeta;
  /** Whether it tells what a Job that another run created, and could not tell of, would prove wrong. */
  leavesOut?(snapshot: Snapshot, operation: Operation): boolean;
  newModel(children: ChildHistory): KindModel<Snapshot>;
}

export interface KindModel<Snapshot = unknown> {
  /** To be called with every committed change, after the children were told; says what is wrong with it. */
  onChange(event: StoreEvent): readonly string[];
  /** The API server did not take an Event; whether it was about an object of this kind. */
  onLostEvent(name: string): boolean;
  verdictOn(pass: Pass<Snapshot>): PassVerdict;
  /** What is wrong with objects that have come to rest. */
  restFaults(truth: Truth): readonly string[];
}

/** What a pass decided on. */
export interface Pass<Snapshot = unknown> {
  readonly kind: JudgedKind;
  readonly life: Life;
  readonly machine: Machine;
  readonly snapshot: Snapshot;
  /** Of the object that was decided about, as it was seen. */
  readonly about: ObjectMeta;
  readonly nowMs: number;
  readonly isUnderLoad?: DecisionInput['isUnderLoad'];
  readonly decision: Decision;
  /** The version of the object that the process knew of by its own write when it began to observe. */
  readonly known: string | undefined;
  /** When it began to observe, virtual milliseconds. */
  readonly sinceMs: number;
  /** When it decided, virtual milliseconds. */
  readonly decidedAtMs: number;
  /** Its process has views, so that it need not ask the API server. */
  readonly readsViews: boolean;
  /** What it read of Jobs, Pods and nodes. */
  readonly sight: Sight;
}

export interface PassVerdict {
  readonly faults: readonly string[];
  /** What the rules permitted although a look at the truth would have given something else. */
  readonly freedoms: readonly Freedom[];
}

export interface Truth {
  readonly store: ObjectStore;
  /** By the API server's clock, milliseconds since the epoch. */
  readonly nowMs: number;
  readonly clocksAreRight: boolean;
}

/** Of a kind that is judged by the facts that come of its decisions, and not by a model of its words. */
export const noModel: KindModel = {
  onChange: () => [],
  onLostEvent: () => false,
  verdictOn: () => ({ faults: [], freedoms: [] }),
  restFaults: () => [],
};
