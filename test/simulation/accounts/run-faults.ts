/**
 * Whether a run that has ended did, counted, told and recorded what follows from the answers that it
 * was given: the rules of process-item.ts and decision-round.ts once more, from the outside.
 */
import { MillraceError } from '#shared/domain/errors.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { Verdict } from '#shared/domain/verdict.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';
import { isSame } from '../same-data.ts';
import { type AppliedPlan, appliedPlan } from './applied-plan.ts';
import { recordFaults } from './record-faults.ts';
import type { Decided, FreshLook, Round } from './round.ts';
import { isFinal } from './final-operation.ts';
import { believedMs, isAsKnown, StageLooks } from './stage-looks.ts';
import { countOf, type RunAccount } from './run-account.ts';

/** Conflicts of one run after which somebody else may go on. */
const mostConflicts = 3;
const forbiddenRetryMs = 15_000;
/** An answer that says that it is earlier than was thought leaves so much of its second open, milliseconds. */
const openMs = 500;

export interface Ending {
  readonly verdict: Verdict;
  /** What the process's clock showed, milliseconds since the epoch. */
  readonly clockMs: number;
  /** By how much that was set back since the run began, milliseconds. */
  readonly setBackMs: number;
  readonly instance: string;
  readonly version: string;
  /** When plans of this process failed last, by uid of what they are for, monotonic milliseconds. */
  readonly failedPlans: Map<string, number>;
}

/** What follows from what came of a round. */
interface After {
  /** Undefined: another round follows. */
  readonly verdict?: Verdict;
  readonly rejections?: readonly Rejection[];
  readonly warnings?: readonly WriteWarning[];
}

interface Expected {
  readonly counted: string[];
  readonly warned: unknown[];
  readonly faults: string[];
}

export function runFaults(run: RunAccount, ending: Ending): readonly string[] {
  const expected: Expected = { counted: [], warned: [], faults: [] };
  const verdict = expectedVerdict(run, ending, expected);
  const { counted, warned, faults } = expected;
  if (!isSame(ending.verdict, verdict)) {
    faults.push(`AC2: ended as ${shown(ending.verdict)}, not as ${shown(verdict)}`);
  }
  const [came, due] = [run.counted, counted].map((list) => list.toSorted().join(', '));
  if (came !== due) faults.push(`AC3: counted ${came}, not ${due}`);
  if (!isSame(run.warned, warned)) {
    faults.push(`AC4: warned of ${shown(run.warned)}, not of ${shown(warned)}`);
  }
  const { kind, namespace, name } = run.item.key;
  const fields = {
    function: run.item.function,
    key: `${kind}/${namespace}/${name}`,
    eventId: run.item.cause,
  };
  if (!isSame(run.logFields, fields)) {
    faults.push(`AC4: its log speaks of ${shown(run.logFields)}`);
  }
  return faults;
}

function expectedVerdict(run: RunAccount, ending: Ending, expected: Expected): Verdict {
  const { faults } = expected;
  let conflicts = 0;
  let said: Pick<After, 'rejections' | 'warnings'> = {};
  for (const [index, round] of run.rounds.entries()) {
    const reader = conflicts > 0 && run.freshReader !== undefined ? 'fresh' : 'usual';
    if ([...round.readBy].some((by) => by !== reader)) {
      faults.push(`AC2: read by the ${reader === 'fresh' ? 'usual' : 'fresh'} reader`);
    }
    const came = cameOf(run, round, { reader, said, ending }, expected);
    const isLast = index === run.rounds.length - 1;
    const after = afterRound(came, { conflicts, said, ending });
    if (came.kind === 'conflict') conflicts += 1;
    else said = { rejections: after.rejections ?? [], warnings: after.warnings ?? [] };
    if (after.verdict !== undefined) {
      if (!isLast) faults.push(`AC2: went on after ${came.kind}`);
      if (came.kind === 'failed') tellFailure(run, came.error, after.verdict, expected);
      return after.verdict;
    }
    if (isLast) faults.push(`AC2: ended after ${came.kind}`);
  }
  return ending.verdict;
}

function tellFailure(run: RunAccount, err: unknown, verdict: Verdict, expected: Expected): void {
  expected.counted.push(decisions(run, 'failed'));
  if (verdict.kind !== 'later') expected.warned.push({ err, verdict });
}

interface Circumstances {
  readonly reader: 'usual' | 'fresh';
  readonly said: Pick<After, 'rejections' | 'warnings'>;
  readonly ending: Ending;
}

type Came = (
  | Pick<AppliedPlan, 'kind' | 'detail' | 'error'>
  | { readonly kind: 'gone' | 'unchanged'; readonly detail?: string; readonly error?: unknown }
) & {
  readonly requeueAtMs?: number | undefined;
  /** In how many milliseconds what was there already is to be looked at, at the latest. */
  readonly adoptedMs?: number;
  readonly rejections?: readonly Rejection[];
  readonly warnings?: readonly WriteWarning[];
};

/** What came of a round, and what it had to count, tell and record. */
function cameOf(
  run: RunAccount,
  round: Round,
  circumstances: Circumstances,
  expected: Expected,
): Came {
  const { counted, faults } = expected;
  const { observed, decided } = round;
  const counts = (came: Came): Came => {
    counted.push(decisions(run, came.kind));
    return came;
  };
  const error = observed?.error;
  if (error !== undefined) {
    const isConflict = error instanceof MillraceError && error.class === 'conflict';
    return isConflict
      ? counts({ kind: 'conflict', detail: error.message })
      : { kind: 'failed', error };
  }
  if (observed?.snapshot === undefined) return counts({ kind: 'gone' });
  if (decided === undefined) {
    faults.push('AC2: nothing was decided');
    return { kind: 'failed' };
  }
  faults.push(...decisionFaults(round, decided, circumstances));
  if (mayLackJobs(run, round, decided, circumstances)) {
    return counts({ kind: 'conflict', detail: 'the view may lack children' });
  }
  const look = freshLook(run, round, decided, circumstances.reader);
  if (look.fault !== undefined) faults.push(`AC1: ${look.fault}`);
  const stopped = stoppedBy(look, run);
  const looks = new StageLooks({ ...look, uid: run.item.key.uid, version: round.seen?.version });
  const came = stopped ?? carriedOut(run, round, decided, { ...circumstances, looks }, expected);
  if (looks.left > 0) faults.push(`AC1: looked again ${looks.left} times for nothing`);
  if (stopped !== undefined) return stopped.kind === 'conflict' ? counts(stopped) : stopped;
  if (came.kind !== 'failed') counts(came);
  else circumstances.ending.failedPlans.set(run.item.key.uid, round.endedMs ?? Infinity);
  const outcome = came.kind === 'failed' ? messageOf(came.error) : came.kind;
  const { version } = circumstances.ending;
  const recorded = recordFaults(run, round, { decided, outcome, version });
  faults.push(...recorded.faults);
  counted.push(...recorded.counted);
  expected.warned.push(...recorded.warned);
  return came;
}

/** Undefined: the plan is begun. */
function stoppedBy({ error, isBehind, endedAt }: Look, run: RunAccount): Came | undefined {
  if (error !== undefined) return { kind: 'failed', error };
  if (isBehind) return { kind: 'conflict', detail: 'the view is behind' };
  return run.calledOffAt <= endedAt ? { kind: 'aborted' } : undefined;
}

function decisionFaults(
  { observed, told }: Round,
  { snapshot, input, clockMs, underWay }: Decided,
  { said: { rejections = [], warnings = [] } }: Circumstances,
): readonly string[] {
  const due = [rejections, warnings].filter(({ length }) => length > 0);
  return [
    ...(isSame(told, due)
      ? []
      : [`AC2: the decision was told ${shown(told)}, the API server said ${shown(due)}`]),
    ...(snapshot === observed?.snapshot ? [] : ['AC2: decided on something else than was seen']),
    ...(input.nowMs === clockMs ? [] : ['AC2: decided by another time than its clock shows']),
    ...(isLoadRight(input.gates['UnderLoad'] === true, underWay)
      ? []
      : [`AC2: load told wrongly with ${underWay} runs under way`]),
  ];
}

/** From four runs at once on, of which one may be ending. */
function isLoadRight(isTold: boolean, underWay: number): boolean {
  return isTold ? underWay >= 4 : underWay <= 4;
}

/**
 * It leaves Jobs out that it does not see, by a view that may be behind, or that shows nothing of what was created and
 * not answered: they may be there.
 */
function mayLackJobs(
  run: RunAccount,
  round: Round,
  decided: Decided,
  { reader, ending }: Circumstances,
): boolean {
  if (run.freshReader === undefined || reader === 'fresh') return false;
  const asOfMs = round.asOf.get('Job') ?? -Infinity;
  const failedAtMs = ending.failedPlans.get(run.item.key.uid) ?? -Infinity;
  const isSeen = asOfMs > failedAtMs && decided.atMs - asOfMs <= believedMs;
  const { snapshot, decision } = decided;
  return !isSeen && decision.plan.flat().some((each) => run.kind.leavesOut?.(snapshot, each));
}

interface Look {
  readonly isBehind: boolean;
  /** In the order of what is sent and answered. */
  readonly endedAt: number;
  /** When the object was known last to be as it was decided on, by the monotonic clock, milliseconds. */
  readonly knownAtMs: number;
  /** Those that came after it, in the middle of the plan. */
  readonly looks: readonly FreshLook[];
  readonly error?: unknown;
  readonly fault?: string;
}

/**
 * The object is looked at once more before what cannot be undone, unless views say that they are a moment
 * behind at most: whether they are right in that, the invariants judge by what came of it.
 */
function freshLook(run: RunAccount, round: Round, decided: Decided, reader: string): Look {
  const { seen } = round;
  const best = run.freshReader === undefined ? 'usual' : 'fresh';
  const servedAtMs = reader === best ? seen?.askedAtMs : seen?.servedAtMs;
  const isFresh = decided.atMs - (servedAtMs ?? -Infinity) <= believedMs;
  const finals = decided.decision.plan.flat().filter(isFinal);
  const needed = finals.flatMap((operation) =>
    'resource' in operation ? [operation.resource.kind] : [],
  );
  const isSeen = [run.item.key.kind, ...needed].every(
    (kind) => decided.atMs - (round.asOf.get(kind) ?? -Infinity) <= believedMs,
  );
  const isDue = finals.length > 0 && !isFresh && !isSeen;
  const none = { isBehind: false, endedAt: decided.at, knownAtMs: decided.atMs };
  const due = isDue ? (isLookDueAgain(run, round) ? 2 : 1) : 0;
  const [first, looks] = [round.looks.slice(0, due), round.looks.slice(due)];
  if (first.length !== due || round.looks.some(({ by }) => by !== best)) {
    return { ...none, looks, fault: `looked ${first.length} times before it wrote, not ${due}` };
  }
  if (!isDue) return { ...none, looks };
  const answer = first.at(-1)?.answer;
  const times = { endedAt: answer?.at ?? Infinity, knownAtMs: answer?.atMs ?? Infinity };
  if (answer?.error !== undefined) {
    return { ...times, looks, isBehind: false, error: answer.error };
  }
  return { ...times, looks, isBehind: !isAsSeen(run, round, answer) };
}

/** An answer that took longer than answers are believed said that nothing had changed. */
function isLookDueAgain(run: RunAccount, round: Round): boolean {
  const [first] = round.looks;
  if (first?.answer === undefined || first.answer.error !== undefined) return false;
  return first.answer.atMs - first.askedAtMs > believedMs && isAsSeen(run, round, first.answer);
}

function isAsSeen({ item }: RunAccount, { seen }: Round, answer: FreshLook['answer']): boolean {
  return isAsKnown(answer, item.key.uid, seen?.version);
}

function carriedOut(
  run: RunAccount,
  { exchanges }: Round,
  { decision: { plan, requeueAtMs } }: Decided,
  { ending: { instance }, looks }: Circumstances & { readonly looks: StageLooks },
  { counted, warned, faults }: Expected,
): Came {
  if (plan.flat().length === 0 && exchanges.length === 0) return { kind: 'unchanged', requeueAtMs };
  const name = run.item.function;
  const sender = { cause: run.item.cause, manager: `millrace.dev/${name}`, instance };
  const came = appliedPlan(plan, { exchanges, sender, calledOffAt: run.calledOffAt, looks });
  faults.push(...came.faults.map((fault) => `AC1: ${fault}`));
  for (const write of came.writes) {
    const [done = '', resource = ''] = write.split(' ');
    counted.push(countOf('writes', { function: name, done, resource }));
  }
  const { rejections, warnings, untold } = came;
  if (untold.length > 0) warned.push({ notes: untold });
  if (warnings.length > 0) warned.push({ warnings });
  if (came.kind === 'rejected') warned.push({ rejections });
  if (came.kind === 'applied' && came.writes.includes(`gone ${run.item.key.kind}`)) {
    return { kind: 'gone' };
  }
  if (!came.writes.includes('adopt Job')) return { ...came, requeueAtMs };
  const tells = plan.flat().some(({ kind }) => kind === 'patchStatus');
  return { ...came, requeueAtMs, adoptedMs: tells ? 0 : 1_000 };
}

interface Before {
  readonly conflicts: number;
  readonly said: Pick<After, 'rejections' | 'warnings'>;
  readonly ending: Ending;
}

function afterRound(came: Came, { conflicts, said, ending }: Before): After {
  const { kind, detail = '', rejections = [], warnings = [], requeueAtMs, adoptedMs } = came;
  switch (kind) {
    case 'gone':
      return { verdict: { kind: 'done' } };
    case 'aborted':
      return { verdict: { kind: 'later', detail: 'the run was called off' } };
    case 'conflict':
      return conflicts < mostConflicts ? {} : { verdict: { kind: 'later', detail } };
    case 'rejected':
      if ((said.rejections ?? []).length === 0) return { rejections, warnings };
      return { verdict: { kind: 'retry', detail: refusedAgain(rejections) } };
    case 'unchanged':
    case 'applied':
      if (warnings.length > 0) return { warnings };
      if (requeueAtMs === undefined && adoptedMs === undefined)
        return { verdict: { kind: 'done' } };
      return { verdict: { kind: 'requeue', afterMs: againMs(came, ending) } };
    case 'failed':
      return { verdict: verdictOf(came.error) };
  }
}

function againMs(
  { requeueAtMs = Infinity, adoptedMs = Infinity }: Came,
  { clockMs, setBackMs }: Ending,
): number {
  const dueMs = Math.min(Math.max(requeueAtMs - clockMs, 0), adoptedMs);
  return dueMs > 0 && setBackMs > 1 ? Math.max(dueMs, openMs) : dueMs;
}

function refusedAgain(rejections: readonly Rejection[]): string {
  const each = rejections.map(({ code, name, message }) => `${code} ${name}: ${message}`);
  return `refused again: ${each.join('; ')}`;
}

function verdictOf(error: unknown): Verdict {
  if (!(error instanceof MillraceError)) return { kind: 'retry', detail: messageOf(error) };
  const { code, message, retryAfterMs } = error;
  const detail = `${code}: ${message}`;
  if (code === 'MR_API_FORBIDDEN') return { kind: 'retry', afterMs: forbiddenRetryMs, detail };
  switch (error.class) {
    case 'conflict':
      return { kind: 'later', detail };
    case 'terminal':
      return { kind: 'parked', detail };
    case 'retryable':
      if (retryAfterMs === undefined) return { kind: 'retry', detail };
      return { kind: 'later', afterMs: retryAfterMs, detail };
  }
}

function decisions({ item }: RunAccount, outcome: string): string {
  return countOf('decisions', { function: item.function, outcome });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member instanceof Error ? member.message : member,
  );
}
