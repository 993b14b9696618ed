/** One round of observing, deciding and applying. `process-item.ts` decides what follows. */
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { Decision, Ground } from '#shared/domain/decision.ts';
import { errorClassOf, MillraceError } from '#shared/domain/errors.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { isEmptyPlan, type Plan } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { DecisionRecord, Journal } from '#shared/journal/journal.ts';
import { type ApplyContext, applyPlan, type WrittenObject } from '#shared/kube/apply-plan.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { CreatedTraces } from './created-traces.ts';
import type { DecisionRun } from './decision-recorder.ts';
import { refusedWords } from './failing-objects.ts';
import { describeDecision } from './log-fields.ts';
import { decidedKind } from '#shared/subscription/route.ts';
import type { EventFunction, Said } from './event-function.ts';
import { lastVersionOf, lookAgain, type LookAgainParts } from './look-again.ts';
import type { DecisionOutcome, FunctionMetrics } from './function-metrics.ts';
import { permittedPart } from './permitted-part.ts';
import { policyRefusals } from './policy-refusals.ts';
import type { SubmitterPermissions } from './submitter-permissions.ts';
import { type Trust, untrustedCreates } from './trust.ts';
import { stampCause } from './stamp-cause.ts';
import type { Logger } from '../process/telemetry.ts';
import {
  cannotBeUndone,
  currentForMs,
  finalResources,
  isCurrent,
  isSeenCurrent,
  NotingReader,
} from './view-check.ts';

export interface ItemProcessorOptions<Snapshot> {
  readonly fn: EventFunction<Snapshot>;
  readonly client: KubeClient;
  readonly reader: Reader;
  /**
   * Asked after a conflict, which shows that `reader` was behind, and before a create or removal
   * (view-check.ts). Absent: `reader` is never behind.
   */
  readonly freshReader?: Reader;
  /** The permission that a create needs. */
  readonly trust: Trust;
  /** The policy on Pods of created Jobs. Absent: nothing is refused. */
  readonly policy?: PodPolicy;
  /** Absent: decisions are not recorded. */
  readonly journal?: Journal;
  readonly clock: WaitingClock;
  readonly logger: Logger;
  readonly metrics: FunctionMetrics;
  /** Name of the pod or host: reportingInstance of the Events. */
  readonly instance: string;
  /** Version of the bundle, recorded with every decision. */
  readonly version: string;
}

export interface Run<Snapshot> extends ItemProcessorOptions<Snapshot> {
  readonly item: WorkItem;
  readonly signal: AbortSignal;
  readonly record: (run: DecisionRun<Snapshot>) => Promise<void>;
  /** Whether many decisions are running in the process. */
  readonly isUnderLoad: () => boolean;
  readonly permissions: SubmitterPermissions;
  /** Objects that this process has just created. */
  readonly created: CreatedTraces;
  /** The resource that a decision of this run rests on for good ({@link Circumstances}). Absent: none. */
  readonly now?: Resource | undefined;
  /** Total over all rounds of the run. */
  readonly spent: { decidingMs: number };
}

export const nothingSaid: Said = { rejections: [], warnings: [] };

/** The result of one decision. Journal and metrics use the same kind. */
export type Round =
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'unchanged' | 'applied';
      readonly decision: Decision;
      readonly said: Said;
      /** A child to be created existed already, so the decision did not know its state. */
      readonly hasAdopted: boolean;
      /** An object to be written was gone, so the decision was made by a view that has to catch up. */
      readonly hasMissed: boolean;
    }
  | { readonly kind: 'rejected'; readonly said: Said }
  | { readonly kind: 'conflict'; readonly detail: string }
  | { readonly kind: 'aborted' };

/** Nothing is applied: it is observed again with this resource as the API server has it. */
export interface Again {
  readonly kind: 'again';
  readonly now: Resource;
}

/** Throws what observing, deciding or applying threw, except a conflict. */
export async function decideOnce<Snapshot>(
  run: Run<Snapshot>,
  reader: Reader,
  said: Said,
): Promise<Round | Again> {
  const startedMs = run.clock.monotonicMs();
  const { watches } = run.fn.subscription;
  const kind = kindOf(run);
  if (kind === undefined) return counted(run, { kind: 'gone' });
  const followed = watches.map(({ resource }) => resource);
  const noted = new NotingReader(
    reader,
    { kind, followed, created: run.created },
    run.item.key,
    run.clock,
  );
  const observed = await observe(run, noted);
  if ('kind' in observed) return observed;
  const observedMs = run.clock.monotonicMs();
  const { fn, item } = run;
  const snapshot = withSaid(fn, observed.snapshot, said);
  const input = {
    nowMs: run.clock.now(),
    ...(run.isUnderLoad() ? { isUnderLoad: true } : {}),
  };
  const decision = fn.decide(snapshot, input);
  const decidedMs = run.clock.monotonicMs();
  run.spent.decidingMs += decidedMs - observedMs;
  const now = fn.secondLook?.restsOnAll?.(snapshot, decision);
  if (now !== undefined && now !== run.now) return { kind: 'again', now };
  if (mayLackChildren(run, reader, noted, fn.secondLook?.takesForAbsent?.(snapshot, decision))) {
    return counted(run, conflict(run, 'the view may lack children'));
  }
  if (cannotBeUndone(decision.plan) && !(await isUpToDate(run, reader, noted, decision))) {
    return counted(run, conflict(run, 'the view is behind'));
  }
  if (run.signal.aborted) return { kind: 'aborted' };
  const isStillSo = stillSo(run, noted.version, decision.restsOn);
  const [applied] = await Promise.allSettled([
    applyPermitted({ ...run, isStillSo }, snapshot, decision),
  ]);
  const durationMs = {
    observe: rounded(observedMs - startedMs),
    decide: rounded(decidedMs - observedMs),
    apply: rounded(run.clock.monotonicMs() - decidedMs),
  };
  measure(run, durationMs);
  // A failed round is recorded too: a part of the plan may have been written.
  await recordQuietly(run, { item, snapshot, input, decision, ...outcomeOf(applied), durationMs });
  if (applied.status === 'rejected') throw applied.reason;
  return counted(run, applied.value);
}

/** Refusals that a record names; a plan may have thousands of creates. */
const mostNamed = 3;

function outcomeOf(
  applied: PromiseSettledResult<Round>,
): Pick<DecisionRecord, 'outcome' | 'detail'> {
  if (applied.status === 'rejected') {
    const error: unknown = applied.reason;
    const outcome = error instanceof MillraceError ? error.code : 'Error';
    return { outcome, detail: textOf(error) };
  }
  const { value: round } = applied;
  if (round.kind === 'rejected') {
    const { rejections } = round.said;
    const left = rejections.length - mostNamed;
    const words = refusedWords(rejections.slice(0, mostNamed));
    return { outcome: round.kind, detail: left > 0 ? `${words}; ${left} more` : words };
  }
  return { outcome: round.kind, ...('detail' in round ? { detail: round.detail } : {}) };
}

function withSaid<Snapshot>(
  fn: EventFunction<Snapshot>,
  snapshot: Snapshot,
  { rejections, warnings }: Said,
): Snapshot {
  const losses = warnings.filter(({ isAltered }) => isAltered !== true);
  if (rejections.length + losses.length === 0) return snapshot;
  return fn.secondLook?.knowing(snapshot, { rejections, warnings: losses }) ?? snapshot;
}

async function observe<Snapshot>(
  run: Run<Snapshot>,
  reader: Reader,
): Promise<{ readonly snapshot: Snapshot } | Round> {
  try {
    const snapshot = await run.fn.observe(run.item.key, reader, {
      exempt: run.trust.exemptNamespaces,
      nowMs: run.clock.now(),
      ...(run.now === undefined ? {} : { now: run.now }),
    });
    if (snapshot !== undefined) return { snapshot };
    run.logger.debug('object is gone');
    return counted(run, { kind: 'gone' });
  } catch (error) {
    if (errorClassOf(error) === 'conflict') return counted(run, conflict(run, error));
    throw error;
  }
}

/**
 * A view may be behind, and no name or version reveals a missing child. Then everything is read again from
 * the API server, unless own writes show that the view is current.
 */
function mayLackChildren<Snapshot>(
  { reader: usual, freshReader = usual }: Run<Snapshot>,
  reader: Reader,
  noted: NotingReader,
  absent: Resource | undefined,
): boolean {
  return absent !== undefined && reader !== freshReader && !noted.isCurrent(absent);
}

/**
 * A state that the API server returned a moment ago needs no second look. If the reads took long or the
 * process stood still, another replica may have changed the object. The same can happen during a slow look,
 * so a second one follows. The second look is trusted however long it takes. Otherwise a slow API server
 * would stop everything.
 */
async function isOwnUpToDate<Snapshot>(
  run: Run<Snapshot>,
  reader: Reader,
  noted: NotingReader,
  plan: Plan,
): Promise<boolean> {
  const { clock, reader: usual, freshReader = usual } = run;
  const nowMs = clock.monotonicMs();
  const { version } = noted;
  const servedAtMs = freshReader === reader ? noted.askedAtMs : noted.servedByServerAtMs;
  if (nowMs - servedAtMs <= currentForMs) return true;
  const decided = kindOf(run);
  const concerned = [...(decided === undefined ? [] : [decided]), ...finalResources(plan)];
  if (isSeenCurrent(noted, concerned, nowMs)) return true;
  const look = (): Promise<boolean> => isAt(version, run);
  if (!(await look())) return false;
  return clock.monotonicMs() - nowMs <= currentForMs || look();
}

/** Checks the decided object and the others that the decision depends on. */
async function isUpToDate<Snapshot>(
  run: Run<Snapshot>,
  reader: Reader,
  noted: NotingReader,
  { plan, restsOn }: Decision,
): Promise<boolean> {
  return (await isOwnUpToDate(run, reader, noted, plan)) && (await stands(run, restsOn));
}

function stillSo<Snapshot>(
  run: Run<Snapshot>,
  version: string | undefined,
  restsOn: Decision['restsOn'],
): NonNullable<ApplyContext['isStillSo']> {
  const { clock, item } = run;
  const look: LookAgainParts['look'] = async (own = version, written) =>
    (await isAt(own, run)) && (await stands(run, restsOn, written));
  return lookAgain({ clock, uid: item.key.uid, look });
}

/** Whether each object is as it was read, or at the version that this plan has written since. */
async function stands<Snapshot>(
  { reader, freshReader = reader }: Run<Snapshot>,
  restsOn: readonly Ground[] = [],
  written: readonly WrittenObject[] = [],
): Promise<boolean> {
  const looks = restsOn.map(({ resource, target, uid, resourceVersion }) => {
    const version = lastVersionOf(uid, written) ?? resourceVersion;
    return isCurrent(version, freshReader, resource, { ...target, uid });
  });
  return (await Promise.all(looks)).every((isSo) => isSo);
}

/** Asks the API server whether the decided object is at this version. */
async function isAt<Snapshot>(version: string | undefined, run: Run<Snapshot>): Promise<boolean> {
  const kind = kindOf(run);
  const { item, reader, freshReader = reader } = run;
  return kind !== undefined && isCurrent(version, freshReader, kind, item.key);
}

/** Undefined: the function does not decide about the item's kind. */
function kindOf<Snapshot>({ fn, item }: Run<Snapshot>): Resource | undefined {
  return decidedKind(fn.subscription.decides, item.key);
}

type Applying<Snapshot> = Run<Snapshot> & Required<Pick<ApplyContext, 'isStillSo'>>;

async function applyPermitted<Snapshot>(
  run: Applying<Snapshot>,
  snapshot: Snapshot,
  decision: Decision,
): Promise<Round> {
  const rejections = await refusals(run, snapshot, decision.plan);
  if (rejections.length === 0) return apply(run, decision);
  run.logger.warn({ rejections }, 'a create is not permitted');
  const refused = new Set(rejections.map(({ name }) => name));
  const round = await apply(run, { ...decision, plan: permittedPart(decision.plan, refused) });
  switch (round.kind) {
    case 'unchanged':
    case 'applied':
      return { kind: 'rejected', said: { ...round.said, rejections } };
    case 'rejected':
      return {
        kind: 'rejected',
        said: { ...round.said, rejections: [...rejections, ...round.said.rejections] },
      };
    case 'gone':
    case 'conflict':
    case 'aborted':
      return round;
  }
}

/** A create without an accountable user is not checked further. */
async function refusals<Snapshot>(
  { fn, permissions, policy, trust }: Run<Snapshot>,
  snapshot: Snapshot,
  plan: Plan,
): Promise<readonly Rejection[]> {
  if (fn.submitterOf === undefined) return policyRefusals(policy, plan);
  const submitter = fn.submitterOf(snapshot);
  const originOf = fn.templateOrigins?.(snapshot);
  const untrusted = untrustedCreates(trust, submitter, plan, originOf);
  const names = new Set(untrusted.map(({ name }) => name));
  const judged = plan.map((stage) =>
    stage.filter((each) => each.kind !== 'create' || !names.has(each.object.metadata.name)),
  );
  return [
    ...untrusted,
    ...policyRefusals(policy, judged),
    ...(await permissions.refusals(submitter, judged, originOf)),
  ];
}

async function apply<Snapshot>(run: Applying<Snapshot>, decision: Decision): Promise<Round> {
  const { client, clock, fn, instance, isStillSo, item, logger, signal } = run;
  if (isEmptyPlan(decision.plan)) {
    logger.debug(describeDecision(decision), 'nothing to write');
    return { kind: 'unchanged', decision, said: nothingSaid, hasAdopted: false, hasMissed: false };
  }
  const fieldManager = `millrace.dev/${fn.subscription.name}`;
  const context = { client, clock, instance, fieldManager, signal, isStillSo };
  const outcome = await applyPlan(stampCause(decision.plan, item.cause), context);
  const { notes, warnings } = outcome;
  countWrites(run, outcome.writes);
  if (outcome.kind === 'applied') countTransitions(run, decision);
  run.created.add(item.key.uid, outcome.writes);
  if (notes.length > 0) logger.warn({ notes }, 'an Event was not written');
  if (warnings.length > 0) logger.warn({ warnings }, 'what was created is not what was asked for');
  switch (outcome.kind) {
    case 'applied':
      logger.info(describeDecision(decision), 'plan applied');
      // A view that still has the object would give the same result immediately, again and again.
      if (outcome.writes.some(({ done, uid }) => done === 'gone' && uid === item.key.uid)) {
        return { kind: 'gone' };
      }
      return {
        kind: 'applied',
        decision,
        said: { rejections: [], warnings },
        hasAdopted: outcome.writes.some(isAdoption),
        hasMissed: outcome.writes.some(({ done }) => done === 'gone'),
      };
    case 'rejected':
      logger.warn({ rejections: outcome.rejections }, 'a write was refused');
      return { kind: 'rejected', said: outcome };
    case 'conflict':
      return conflict(run, outcome.detail);
    case 'failed':
      run.created.fail(item.key.uid);
      throw outcome.error;
    case 'aborted':
      logger.info(describeDecision(decision), 'called off in the middle of a plan');
      return { kind: 'aborted' };
  }
}

/** An Event that exists already is Millrace's own. */
function isAdoption({ done, resource }: WrittenObject): boolean {
  return done === 'adopt' && resource.kind !== 'Event';
}

function conflict<Snapshot>({ logger }: Run<Snapshot>, cause: unknown): Round {
  const detail = textOf(cause);
  logger.debug({ detail }, 'observed state was old');
  return { kind: 'conflict', detail };
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

async function recordQuietly<Snapshot>(
  run: Run<Snapshot>,
  decided: DecisionRun<Snapshot>,
): Promise<void> {
  try {
    await run.record(decided);
  } catch (error) {
    run.metrics.journalFailures.inc({ function: run.fn.subscription.name });
    run.logger.warn({ err: error }, 'decision was not recorded');
  }
}

function counted<Snapshot>(run: Run<Snapshot>, round: Round): Round {
  count(run, round.kind);
  return round;
}

export function count<Snapshot>(run: Run<Snapshot>, outcome: DecisionOutcome): void {
  run.metrics.decisions.inc({ function: run.fn.subscription.name, outcome });
}

function countWrites<Snapshot>(run: Run<Snapshot>, writes: readonly WrittenObject[]): void {
  for (const { done, resource } of writes) {
    run.metrics.writes.inc({ function: run.fn.subscription.name, done, resource: resource.kind });
  }
}

function countTransitions<Snapshot>({ metrics }: Run<Snapshot>, { plan }: Decision): void {
  for (const operation of plan.flat()) {
    if (operation.kind !== 'emitEvent') continue;
    const { regarding, type, action } = operation;
    metrics.announced.inc({ kind: regarding.kind, type, action });
  }
}

function measure<Snapshot>(run: Run<Snapshot>, durationMs: DecisionRecord['durationMs']): void {
  for (const [step, ms] of Object.entries(durationMs)) {
    run.metrics.steps.observe({ function: run.fn.subscription.name, step }, ms / 1000);
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
