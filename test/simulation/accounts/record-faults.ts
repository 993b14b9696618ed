/** Whether a decision was recorded as it came about, once, if the rule of the recorder asks for it. */
import type { DecisionRecord } from '#shared/journal/journal.ts';
import { isSame } from '../same-data.ts';
import type { Decided, RecordEntry, Round } from './round.ts';
import { countOf, type RunAccount } from './run-account.ts';

export interface Recorded {
  readonly faults: readonly string[];
  readonly counted: readonly string[];
  /** What is warned of: a record that was not taken. */
  readonly warned: readonly unknown[];
}

interface Came {
  readonly decided: Decided;
  readonly outcome: string;
  readonly version: string;
}

export function recordFaults(run: RunAccount, round: Round, came: Came): Recorded {
  const { decided } = came;
  const { records, beganMs, endedMs = decided.atMs, isNews } = round;
  const durationMs = {
    observe: thousandths(decided.atMs - beganMs),
    decide: 0,
    apply: thousandths(endedMs - decided.atMs),
  };
  const labels = { function: run.item.function };
  const counted = Object.entries(durationMs).map(
    ([step, ms]) => `${countOf('steps', { ...labels, step })} ${ms / 1_000}`,
  );
  const isWriting = decided.decision.plan.flat().length > 0;
  const isDue = run.isRecorded && (isWriting || isNews === true);
  const isRight = records.length === (isDue ? 1 : 0);
  const lost = records.filter(({ error }) => error !== undefined);
  return {
    faults: [
      ...(isRight
        ? []
        : [`AC5: ${records.length} records, where ${isDue ? 'one' : 'none'} is due`]),
      ...records.flatMap((entry) => entryFaults(run, entry, { ...came, durationMs })),
    ],
    counted: [...counted, ...lost.map(() => countOf('journalFailures', labels))],
    warned: lost.map(({ error }) => ({ err: error })),
  };
}

function entryFaults(
  { item }: RunAccount,
  { record, base }: RecordEntry,
  { decided, outcome, version, durationMs }: Came & Pick<DecisionRecord, 'durationMs'>,
): readonly string[] {
  const ofReader = { snapshot: undefined, plan: undefined, base: undefined };
  const { input, decision } = decided;
  const { requeueAtMs } = decision;
  const due = {
    kind: 'decision',
    format: 2,
    function: item.function,
    cause: item.cause,
    key: item.key,
    nowMs: input.nowMs,
    gates: input.gates,
    reasons: decision.reasons,
    ...(requeueAtMs === undefined ? {} : { requeueAtMs }),
    ...{ version, outcome, durationMs },
    ...ofReader,
  };
  const head = { ...record, ...ofReader };
  return [
    ...(isSame(head, due)
      ? []
      : [`AC5: recorded ${JSON.stringify(head)}, not ${JSON.stringify(due)}`]),
    ...(record.base === base ? [] : [`AC5: a record stands on ${record.base}, not on ${base}`]),
  ];
}

function thousandths(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
