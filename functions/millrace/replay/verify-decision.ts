/** Decides again on what was recorded, and compares. It reads and writes nothing. */
import type { Decision, Reason } from '#shared/domain/decision.ts';
import type { Json } from '#shared/domain/objects.ts';
import { isRedactedAsWhole, redactEnv, redactMember } from '#shared/domain/redact.ts';
import type { RecordedDecision } from '#shared/journal/recording.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { type Difference, firstDifference, isEqual } from './first-difference.ts';

export type Verdict =
  | { readonly kind: 'same' }
  /** There is no such function in this version. */
  | { readonly kind: 'unknownFunction' }
  | {
      readonly kind: 'different';
      readonly difference: Difference;
      /** Of today's decision. */
      readonly reasons: readonly Reason[];
    };

export type FunctionsByName = ReadonlyMap<string, Pick<EventFunction, 'decide'>>;

/** A decision that throws now is a difference as well. */
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

/** Most of a decision holds nothing that redaction takes away, and what was recorded is redacted already. */
function redactedWhole(name: string, value: Json): Json | undefined {
  return isRedactedAsWhole(name) ? redactMember(name, value) : undefined;
}

export interface DecisionFault {
  readonly fault: string;
}

type Compared = Pick<RecordedDecision, 'reasons' | 'requeueAtMs'> & { readonly plan: unknown };

/** Of two redacted decisions; undefined: they are equal. One that throws differs from every other. */
export function differenceOf(
  before: Compared | DecisionFault,
  after: Compared | DecisionFault,
): Difference | undefined {
  if ('fault' in before || 'fault' in after) {
    const told = (decided: Compared | DecisionFault) =>
      'fault' in decided ? decided.fault : 'a decision';
    return firstDifference(told(before), told(after), 'decide');
  }
  return firstDifference(comparedPart(before), comparedPart(after));
}

/** With today's function, on what the record says. */
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
  // A decision is plain data by law 4; the type system cannot say so.
  return { plan, reasons, requeueAtMs } as unknown as Json;
}
