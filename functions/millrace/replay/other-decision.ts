/**
 * Makes a recorded decision twice: with the recorded objects and with those of a file. Reads and writes nothing
 * else.
 */
import type { Decision } from '#shared/domain/decision.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import type { RecordedDecision } from '#shared/journal/recording.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { reasonsWithoutFields, writesIn } from '../journal/decision-line.ts';
import { assume } from './assume.ts';
import type { Difference } from './first-difference.ts';
import type { DecidedSo, OtherDecisionLine } from './replay-schema.ts';
import { decidedToday, differenceOf } from './verify-decision.ts';

export interface OtherDecision extends Omit<OtherDecisionLine, 'difference'> {
  /** Undefined: both decisions are equal. */
  readonly difference: Difference | undefined;
}

/** Undefined: the decision's snapshot contains none of these objects. */
export function otherDecision(
  fn: EventFunction,
  recorded: RecordedDecision,
  objects: readonly NewObject[],
): OtherDecision | undefined {
  const { position, nowMs, function: name, key, snapshot } = recorded;
  const assumed = assume(fn, snapshot, objects);
  if (assumed === snapshot) return undefined;
  const [before, after] = [
    decidedToday(recorded, fn),
    decidedToday({ ...recorded, snapshot: assumed }, fn),
  ];
  return {
    ...{ position, time: new Date(nowMs).toISOString(), function: name, object: key },
    difference: differenceOf(before, after),
    ...{ before: decidedSo(before), after: decidedSo(after) },
  };
}

function decidedSo(decided: Decision | { readonly fault: string }): DecidedSo {
  if ('fault' in decided) return { reasons: [], writes: [], fault: decided.fault };
  const { plan, reasons, requeueAtMs } = decided;
  return {
    reasons: reasonsWithoutFields(reasons),
    writes: writesIn(plan),
    ...(requeueAtMs === undefined ? {} : { requeueAt: new Date(requeueAtMs).toISOString() }),
  };
}
