/** Makes a recorded decision again, and compares. Reads and writes nothing. */
import type { Decision, Reason } from '#shared/domain/decision.ts';
import type { Json } from '#shared/domain/objects.ts';
import { isRedactedAsWhole, redactEnv, redactMember } from '#shared/domain/redact.ts';
import type { RecordedDecision } from '#shared/journal/recording.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { type Difference, firstDifference, isEqual } from './first-difference.ts';

export type Verdict =
  | { readonly kind: 'same' }
  /** This version has no such function. */
  | { readonly kind: 'unknownFunction' }
  | {
      readonly kind: 'different';
      readonly difference: Difference;
      /** Reasons of today's decision. */
      readonly reasons: readonly Reason[];
    };

export type FunctionsByName = ReadonlyMap<string, Pick<EventFunction, 'decide'>>;

/** A decision that throws today is a difference as well. */
export function verifyDecision(recorded: RecordedDecision, functions: FunctionsByName): Verdict {
  const fn = functions.get(recorded.function);
  if (fn === undefined) return { kind: 'unknownFunction' };
  const today = decidedToday(recorded, fn);
  if (!('fault' in today) && isEqual(comparedPart(recorded), comparedPart(today), redactedWhole)) {
    return { kind: 'same' };
  }
  const difference = differenceOf(recorded, 'fault' in today ? today : redactEnv(today));
  if (difference === undefined) return { kind: 'same' };
  return { kind: 'different', difference, reasons: 'fault' in today ? [] : today.reasons };
}

/** The recorded decision is redacted already, so only a differing member of today's one is redacted. */
function redactedWhole(name: string, value: Json): Json | undefined {
  return isRedactedAsWhole(name) ? redactMember(name, value) : undefined;
}

export interface DecisionFault {
  readonly fault: string;
}

type Compared = Pick<RecordedDecision, 'reasons' | 'requeueAtMs'> & { readonly plan: unknown };

/** Compares redacted decisions. Undefined: they are equal. One that throws differs from every other one. */
export function differenceOf(
  before: Compared | DecisionFault,
  after: Compared | DecisionFault,
): Difference | undefined {
  if ('fault' in before || 'fault' in after) {
    const outcomeOf = (decided: Compared | DecisionFault) =>
      'fault' in decided ? decided.fault : 'a decision';
    return firstDifference(outcomeOf(before), outcomeOf(after), 'decide');
  }
  return firstDifference(comparedPart(before), comparedPart(after));
}

/** Today's function, applied to the recorded snapshot. */
export function decidedToday(
  { snapshot, nowMs, isUnderLoad }: RecordedDecision,
  { decide }: Pick<EventFunction, 'decide'>,
): Decision | DecisionFault {
  try {
    return decide(snapshot, { nowMs, isUnderLoad });
  } catch (error) {
    return { fault: String(error) };
  }
}

function comparedPart({ plan, reasons, requeueAtMs }: Compared): Json {
  // A decision is plain data (law 4), which its type cannot express.
  return { plan, reasons, requeueAtMs } as unknown as Json;
}
