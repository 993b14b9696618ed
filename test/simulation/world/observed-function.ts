/**
 * Observes a function's decisions: what each pass saw, and whether deciding again gives the same bytes, also on
 * what the journal keeps of the snapshot (I16).
 */
import { redactEnv } from '#shared/domain/redact.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import type { JudgedKind, Pass } from '../model/kind-model.ts';
import type { Machine } from './machine.ts';
import { SightReader } from './sight-reader.ts';
import type { Life } from './timeline.ts';

export interface ObserverOptions {
  readonly life: Life;
  readonly machine: Machine;
  readonly onPass: (pass: Pass) => void;
  readonly virtualNowMs: () => number;
  /** Revision of the API server's store. */
  readonly revision: () => number;
  readonly readsViews: boolean;
  readonly knownVersion: (life: Life, fn: string, uid: string) => string | undefined;
  /** Whether to decide again and compare. */
  readonly comparesDecisions: boolean;
  readonly onDifference: (why: string) => void;
}

type Seen = Pick<Pass, 'known' | 'sinceMs'> & { readonly sight: SightReader };

export function observedFunction(kind: JudgedKind, options: ObserverOptions): EventFunction {
  const { life, machine, onPass, virtualNowMs, knownVersion } = options;
  const { revision, comparesDecisions, onDifference, readsViews } = options;
  const { fn } = kind;
  const { secondLook } = fn;
  const observed = new WeakMap<object, Seen>();
  const carryOver = (from: unknown, to: unknown): void => {
    const seen = observed.get(from as object);
    if (seen !== undefined) observed.set(to as object, seen);
  };
  return {
    ...fn,
    observe: async (key, reader, circumstances) => {
      const sight = new SightReader(reader, revision, circumstances);
      const seen = {
        known: knownVersion(life, fn.subscription.name, key.uid),
        sinceMs: virtualNowMs(),
        sight,
      };
      const snapshot = await fn.observe(key, sight, circumstances);
      if (snapshot !== undefined) observed.set(snapshot as object, seen);
      return snapshot;
    },
    ...(secondLook === undefined
      ? {}
      : {
          secondLook: {
            ...secondLook,
            knowing: (snapshot, said) => {
              const next = secondLook.knowing(snapshot, said);
              carryOver(snapshot, next);
              return next;
            },
          },
        }),
    decide: (snapshot, input) => {
      const decision = fn.decide(snapshot, input);
      const seen = observed.get(snapshot as object);
      if (seen === undefined) return decision;
      if (comparesDecisions) {
        // On what a record keeps of it. Most snapshots have nothing to redact and are then the same object.
        const again = JSON.stringify(fn.decide(redactEnv(snapshot), input));
        if (again !== JSON.stringify(redactEnv(decision))) {
          onDifference('I16: deciding again, on what is recorded, gave another plan');
        }
      }
      seen.sight.judge(secondLook?.restsOnAll?.(snapshot, decision));
      const about = kind.about(snapshot);
      const where = { kind, life, machine, about, decidedAtMs: virtualNowMs(), readsViews };
      onPass({ ...where, ...input, snapshot, decision, ...seen });
      return decision;
    },
  };
}
