/** Decides again on what was recorded, and compares. It reads and writes nothing. */
import type { Decision, Reason } from '#shared/domain/decision.ts';
import type { Json } from '#shared/domain/objects.ts';
import { redactEnv } from '#shared/domain/redact.ts';
import type { RecordedDecision } from '#shared/journal/recording.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { type Difference, firstDifference } from './first-difference.ts';

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
  if ('fault' in today) {
    const difference = { path: 'decide', before: 'a decision', after: today.fault };
    return { kind: 'different', difference, reasons: [] };
  }
  const [before, after] = [comparedPart(recorded), comparedPart(redactEnv(today))];
  const difference = firstDifference(before, after);
  if (difference === undefined) return { kind: 'same' };
  return { kind: 'different', difference, reasons: today.reasons };
}

function decidedToday(
  { snapshot, nowMs, isUnderLoad }: RecordedDecision,
  { decide }: Pick<EventFunction, 'decide'>,
): Decision | { readonly fault: string } {
  try {
    return decide(snapshot, { nowMs, isUnderLoad });
  } catch (error) {
    return { fault: String(error) };
  }
}

function comparedPart(decided: {
  readonly plan: unknown;
  readonly reasons: readonly Reason[];
  readonly requeueAtMs?: number;
}): Json {
  const { plan, reasons, requeueAtMs } = decided;
  // A decision is plain data by law 4; the type system cannot say so.
  return { plan, reasons, requeueAtMs } as unknown as Json;
}
