/**
 * flow-advance with its decisions looked at from outside: what each pass saw when it wrote, and
 * whether deciding again gives the same bytes (I16).
 */
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import { flowAdvance } from '#functions/flow-advance/function.ts';
import type { Decision, DecisionInput } from '#shared/domain/decision.ts';
import type { Sight } from '../model/flow-history.ts';
import type { Machine } from './machine.ts';
import { SightReader } from './sight-reader.ts';
import type { Life } from './timeline.ts';

/** What a pass decided on. */
export interface Pass {
  readonly life: Life;
  readonly machine: Machine;
  readonly snapshot: FlowSnapshot;
  readonly nowMs: number;
  readonly gates: DecisionInput['gates'];
  readonly decision: Decision;
  /** The version of the flow that the process knew of by its own write when it began to observe. */
  readonly known: string | undefined;
  /** When it began to observe, virtual milliseconds. */
  readonly sinceMs: number;
  /** When it decided, virtual milliseconds. */
  readonly decidedAtMs: number;
  /** Its process has views, so that it need not ask the API server. */
  readonly readsViews: boolean;
  /** What it read of Jobs and Pods. */
  readonly sight: Sight;
}

export interface ObserverOptions {
  readonly life: Life;
  readonly machine: Machine;
  readonly onPass: (pass: Pass) => void;
  /** A pass has read what it decides on; undefined: the flow is gone. */
  readonly onObserved: (snapshot: FlowSnapshot | undefined) => void;
  readonly virtualNowMs: () => number;
  readonly readsViews: boolean;
  readonly knownVersion: (life: Life, uid: string) => string | undefined;
  /** Whether to decide twice and compare. */
  readonly comparesDecisions: boolean;
  readonly onDifference: (why: string) => void;
}

type Seen = Pick<Pass, 'known' | 'sinceMs' | 'sight'>;

export function observedFunction(options: ObserverOptions): EventFunction<FlowSnapshot> {
  const { life, machine, onPass, onObserved, virtualNowMs, knownVersion } = options;
  const { comparesDecisions, onDifference, readsViews } = options;
  const observed = new WeakMap<FlowSnapshot, Seen>();
  const carryOver = (from: FlowSnapshot, to: FlowSnapshot): void => {
    const seen = observed.get(from);
    if (seen !== undefined) observed.set(to, seen);
  };
  return {
    ...flowAdvance,
    observe: async (key, reader) => {
      const sight = new SightReader(reader);
      const seen = { known: knownVersion(life, key.uid), sinceMs: virtualNowMs(), sight };
      const snapshot = await flowAdvance.observe(key, sight);
      onObserved(snapshot);
      if (snapshot !== undefined) observed.set(snapshot, seen);
      return snapshot;
    },
    withRejections: (snapshot, rejections) => {
      const next = flowAdvance.withRejections(snapshot, rejections);
      carryOver(snapshot, next);
      return next;
    },
    withWarnings: (snapshot, warnings) => {
      const next = flowAdvance.withWarnings(snapshot, warnings);
      carryOver(snapshot, next);
      return next;
    },
    decide: (snapshot, input) => {
      const decision = flowAdvance.decide(snapshot, input);
      const seen = observed.get(snapshot);
      if (seen === undefined) return decision;
      if (comparesDecisions) {
        const again = JSON.stringify(flowAdvance.decide(snapshot, input));
        if (again !== JSON.stringify(decision)) onDifference('I16: deciding twice gave two plans');
      }
      const decidedAtMs = virtualNowMs();
      const { nowMs, gates } = input;
      onPass({ life, machine, snapshot, nowMs, gates, decision, decidedAtMs, readsViews, ...seen });
      return decision;
    },
  };
}
