/**
 * What a process tells of its work is what happened, judged run by run from the answers that it was
 * given. A run that the death of its process has cut short tells nothing any more and is not judged.
 *
 * AC1 A run asks the API server for its plan and nothing else: each operation once, stage after stage,
 *     in the plan's words, with its cause and manager; nothing once it is called off.
 * AC2 What becomes of a decision follows from the answers: who reads for it, what the next one is told,
 *     and the verdict.
 * AC3 The metrics count exactly that: decisions, writes in effect, records that were lost, durations
 *     by its own clock.
 * AC4 The log warns of exactly what went wrong: an Event that was not written, a refusal, a loss, a
 *     fault, a record that was not taken.
 * AC5 A decision that writes, or has another time to be looked at again than the one on record, is
 *     recorded once, with its outcome and durations. It stands on the record before it as long as that
 *     is known to be there and is worth it.
 * AC6 Once everything has come to rest, the views of each process give what the API server has, without
 *     what is not to be kept of it.
 */
import type { DecisionRecord, Journal } from '#shared/journal/journal.ts';
import {
  createItemProcessor,
  type ItemProcessorOptions,
  type ProcessItem,
} from '#shared/runtime/function/process-item.ts';
import type { JudgedKind } from '../model/kind-model.ts';
import { observed } from '../world/observed-call.ts';
import type { Machine } from '../world/machine.ts';
import type { Life } from '../world/timeline.ts';
import { RecordedBases } from './recorded-base.ts';
import type { Round } from './round.ts';
import { type Ledger, RunAccount } from './run-account.ts';
import { runFaults } from './run-faults.ts';

export interface AccountsOptions {
  /** Whose decisions they are. */
  readonly kind: JudgedKind;
  readonly life: Life;
  readonly machine: Machine;
  readonly blame: (fault: string) => void;
}

/** The processor of a function, each of its runs with an account of its own. */
export function accountedProcessor(
  options: ItemProcessorOptions<unknown>,
  { kind, life, machine, blame }: AccountsOptions,
): ProcessItem {
  const { clock, journal, instance, version } = options;
  const requeues = new Map<string, number | undefined>();
  const rounds = new Map<object, Round>();
  const failedPlans = new Map<string, number>();
  let places = 0;
  let underWay = 0;
  const ledger: Ledger = {
    monotonicMs: () => machine.monotonicMs,
    clockMs: () => clock.now(),
    tick: () => (places += 1),
    underWay: () => underWay,
    isNews: (uid, requeueAtMs) => requeues.get(uid) !== requeueAtMs,
    expects: (reasons, round) => rounds.set(reasons, round),
  };
  // A processor takes its options anew for each item (process-item.ts), and so the parts of this run.
  const parts = { ...options };
  if (journal !== undefined) {
    Object.assign(parts, { journal: enteredJournal(journal, { rounds, requeues, blame }) });
  }
  const process = createItemProcessor<unknown>(parts);
  return async (item, signal = new AbortController().signal) => {
    const isRecorded = journal !== undefined;
    const account = new RunAccount(item, signal, { ...options, kind, isRecorded }, ledger);
    Object.assign(parts, account.parts);
    const beganAheadMs = clock.now() - machine.monotonicMs;
    underWay += 1;
    const verdict = await process(item, signal);
    underWay -= 1;
    for (const { decided } of account.rounds) if (decided) rounds.delete(decided.decision.reasons);
    if (life.alive) {
      const clockMs = clock.now();
      const setBackMs = beganAheadMs - (clockMs - machine.monotonicMs);
      const ending = { verdict, clockMs, setBackMs, instance, version, failedPlans };
      const faults = runFaults(account, ending);
      for (const fault of faults) blame(`${fault}; ${life.name} on ${item.key.name}`);
    }
    return verdict;
  };
}

interface JournalBook {
  readonly rounds: ReadonlyMap<object, Round>;
  /** By uid: when to look again, as it is on record. */
  readonly requeues: Map<string, number | undefined>;
  readonly blame: (fault: string) => void;
}

function enteredJournal(journal: Journal, { rounds, requeues, blame }: JournalBook): Journal {
  const bases = new RecordedBases();
  return {
    ...journal,
    append: (records) => {
      const [record] = records as readonly DecisionRecord[];
      if (record === undefined || records.length > 1) throw new Error('one record at a time');
      const { uid } = record.key;
      const { base, taken } = bases.begins(uid);
      const entry: Round['records'][number] = { record, base };
      const round = rounds.get(record.reasons);
      if (round === undefined) blame('AC5: recorded what nobody has decided');
      round?.records.push(entry);
      return observed(
        journal.append(records),
        (appended) => {
          taken(appended);
          if (record.requeueAtMs === undefined) requeues.delete(uid);
          else requeues.set(uid, record.requeueAtMs);
        },
        (error) => {
          entry.error = error;
        },
      );
    },
  };
}
