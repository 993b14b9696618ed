/**
 * What has become of a plan, told from its operations and from the answers that came: the rules of
 * apply-plan.ts once more, from the outside.
 */
import { hasCode, MillraceError } from '#shared/domain/errors.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject, Uid } from '#shared/domain/objects.ts';
import type {
  CreateOperation,
  DeleteOperation,
  Operation,
  PatchOperation,
  Plan,
  Stage,
} from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';
import type { End, Exchange } from './exchange.ts';
import type { StageLook, StageLooks } from './stage-looks.ts';
import { isOurs, nameOf, requestFault, type Sender, standsFor } from './request-of.ts';

export interface AppliedPlan {
  readonly kind: 'applied' | 'rejected' | 'conflict' | 'aborted' | 'failed';
  /** Of a conflict: what it is. */
  readonly detail?: string;
  /** Of one that failed. */
  readonly error?: unknown;
  readonly rejections: readonly Rejection[];
  readonly warnings: readonly WriteWarning[];
  /** Of Events that were not written: which, and why. */
  readonly untold: readonly string[];
  /** What is in effect, as `create Job`. */
  readonly writes: readonly string[];
  /** What was asked for and should not have been, or the other way round. */
  readonly faults: readonly string[];
}

/** What came of one operation. */
type Came =
  | { readonly kind: 'written'; readonly done: string; readonly warnings?: readonly string[] }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  | { readonly kind: 'untold'; readonly note: string }
  | { readonly kind: 'failed'; readonly error: unknown; readonly at: number };

export interface Exchanged {
  readonly exchanges: readonly Exchange[];
  readonly sender: Sender;
  /** When the run was called off, in the order of what was sent and answered; Infinity: it was not. */
  readonly calledOffAt: number;
  readonly looks: StageLooks;
}

/** So many operations of one stage are under way at once. */
const mostAtOnce = 16;

export function appliedPlan(plan: Plan, exchanged: Exchanged): AppliedPlan {
  const left = new Set(exchanged.exchanges);
  const came: { readonly operation: Operation; readonly result: Came }[] = [];
  const faults: string[] = [];
  let begunAt = -1;
  const { looks, calledOffAt } = exchanged;
  for (const stage of plan) {
    const look = looks.before(stage, firstOf(stage, left));
    faults.push(...look.faults);
    const isCalledOff = calledOffAt <= look.endedAt;
    const changed = isCalledOff ? undefined : changedBy(look);
    if (changed !== undefined) return told({ ...changed, came, faults, left });
    const walked = walkStage(stage, exchanged, left, Math.max(begunAt, look.endedAt));
    faults.push(...walked.faults);
    came.push(...walked.came);
    begunAt = walked.endedAt;
    const outcome = stageOutcome(walked, stage, calledOffAt);
    if (outcome !== undefined) return told({ ...outcome, came, faults, left });
  }
  return told({ kind: 'applied', came, faults, left });
}

/** The first request that stands for something in it. */
function firstOf(stage: Stage, left: ReadonlySet<Exchange>): Exchange | undefined {
  return [...left]
    .filter((exchange) => stage.some((operation) => standsFor(exchange, operation)))
    .toSorted((one, other) => one.sentAt - other.sentAt)[0];
}

function changedBy({ error, isChanged }: StageLook): StageOutcome | undefined {
  if (error !== undefined) return { kind: 'failed', error };
  if (!isChanged) return undefined;
  return { kind: 'conflict', detail: 'the object changed in the middle of a plan' };
}

interface Walked {
  readonly came: readonly { readonly operation: Operation; readonly result: Came }[];
  readonly faults: readonly string[];
  /** When the last of it was answered. */
  readonly endedAt: number;
}

function walkStage(
  stage: Stage,
  exchanged: Exchanged,
  left: Set<Exchange>,
  begunAt: number,
): Walked {
  const { sender, calledOffAt } = exchanged;
  const came: { operation: Operation; result: Came }[] = [];
  const faults: string[] = [];
  const sent: Exchange[] = [];
  for (const operation of stage) {
    const exchange = [...left].find((each) => standsFor(each, operation));
    if (exchange === undefined) continue;
    left.delete(exchange);
    const fault = requestFault(exchange, operation, sender);
    if (fault !== undefined) faults.push(fault);
    if (exchange.sentAt < begunAt) faults.push(`${nameOf(operation)} was not waited for`);
    if (exchange.sentAt > calledOffAt) faults.push(`sent ${nameOf(operation)} although called off`);
    exchanged.looks.wrote(exchange);
    const follows = followUp(operation, exchange, left);
    sent.push(exchange, ...(follows === undefined ? [] : [follows]));
    came.push({ operation, result: resultOf(operation, exchange, follows) });
  }
  const endedAt = Math.max(begunAt, ...sent.map(({ end }) => end?.at ?? Infinity));
  faults.push(...orderFaults(stage, sent, came, calledOffAt));
  return { came, faults, endedAt };
}

/** All of a stage is sent, many at once; only a fault or a call-off ends it before. */
function orderFaults(
  stage: Stage,
  sent: readonly Exchange[],
  came: Walked['came'],
  calledOffAt: number,
): readonly string[] {
  const faults: string[] = [];
  const failedAt = Math.min(
    ...came.map(({ result }) => (result.kind === 'failed' ? result.at : Infinity)),
  );
  const isCutShort = failedAt < Infinity || calledOffAt < Infinity;
  if (came.length < stage.length && !isCutShort) faults.push('left out a part of its plan');
  const atOnce = sent.map(
    ({ sentAt }) =>
      sent.filter((other) => other.sentAt <= sentAt && (other.end?.at ?? Infinity) > sentAt).length,
  );
  if (Math.max(0, ...atOnce) > mostAtOnce) faults.push('asked for too much at once');
  const first = sent.filter(({ verb }) => verb !== 'get').slice(0, mostAtOnce);
  const least = Math.min(stage.length, mostAtOnce);
  const answeredAt = Math.min(...first.map(({ end }) => end?.at ?? Infinity));
  const together = first.filter(({ sentAt }) => sentAt < answeredAt).length;
  if (together < least && calledOffAt === Infinity) faults.push('did not ask for all at once');
  return faults;
}

/** What has to be asked because of how the first request was answered. */
function followUp(
  operation: Operation,
  { end }: Exchange,
  left: Set<Exchange>,
): Exchange | undefined {
  const error = end?.error;
  const isAfter = ({ sentAt }: Exchange): boolean => sentAt > (end?.at ?? Infinity);
  const asksAgain = (each: Exchange): boolean =>
    isAfter(each) && each.verb === 'get' && each.name === nameOf(operation);
  const tellsOfIt = (each: Exchange): boolean =>
    isAfter(each) &&
    each.resource.kind === 'Event' &&
    (each.body as { readonly reason: string }).reason === 'StatusNotWritten';
  const isNeeded =
    (operation.kind === 'create' && isTaken(error)) ||
    ((operation.kind === 'patch' || operation.kind === 'delete') && isDoubtful(error));
  const isToTell =
    operation.kind === 'patchStatus' &&
    error instanceof MillraceError &&
    error.class === 'terminal' &&
    error.code !== 'MR_API_NOT_FOUND';
  const follows =
    isNeeded || isToTell ? [...left].find(isToTell ? tellsOfIt : asksAgain) : undefined;
  if (follows !== undefined) left.delete(follows);
  return follows;
}

function isTaken(error: unknown): boolean {
  return hasCode(error, 'MR_API_CONFLICT') && error.fields['reason'] === 'AlreadyExists';
}

/** The object may be another one by now. */
function isDoubtful(error: unknown): boolean {
  return hasCode(error, 'MR_API_INVALID') || hasCode(error, 'MR_API_CONFLICT');
}

function resultOf(
  operation: Operation,
  { end, warnings }: Exchange,
  follows: Exchange | undefined,
): Came {
  const failed = (error: unknown, at = end?.at ?? Infinity): Came => ({
    kind: 'failed',
    error,
    at,
  });
  if (end === undefined) return failed(new Error('not waited for'));
  const { error } = end;
  const done = operation.kind;
  if (error === undefined) {
    return { kind: 'written', done, ...(done === 'create' ? { warnings } : {}) };
  }
  if (!(error instanceof MillraceError)) return failed(error);
  switch (operation.kind) {
    case 'create':
      if (isTaken(error)) return ofTaken(operation, error, follows);
      return ofRefused(operation.object.metadata.name, error) ?? failed(error);
    case 'emitEvent':
      if (isTaken(error)) return { kind: 'written', done: 'adopt' };
      return { kind: 'untold', note: `Event ${operation.reason}: ${error.message}` };
    case 'patchStatus':
      if (error.code === 'MR_API_NOT_FOUND') return { kind: 'written', done: 'gone' };
      return failed(error, follows?.end?.at ?? end.at);
    case 'patch':
    case 'delete':
      return ofChange(operation, end, follows);
  }
}

/** Not made: the object is gone, or another one by now, or it was refused, which some patches may be. */
function ofChange(
  operation: PatchOperation | DeleteOperation,
  { error, at }: End,
  follows: Exchange | undefined,
): Came {
  const failed = (why: unknown, end = at): Came => ({ kind: 'failed', error: why, at: end });
  const { uid, target } = operation;
  if (hasCode(error, 'MR_API_NOT_FOUND')) return { kind: 'written', done: 'gone' };
  if (isDoubtful(error)) {
    const looked = follows?.end;
    if (looked === undefined) return failed(new Error('did not look who it is'));
    if (looked.error !== undefined) return failed(looked.error, looked.at);
    if (looked.object?.metadata.uid !== uid) return { kind: 'written', done: 'gone' };
  }
  const mayBeRefused = operation.kind === 'patch' && operation.mayBeRefused === true;
  const refused =
    mayBeRefused && error instanceof MillraceError ? ofRefused(target.name, error, uid) : undefined;
  return refused ?? failed(error, follows?.end?.at ?? at);
}

function ofTaken(
  { ownerUid, object: wanted }: CreateOperation,
  taken: MillraceError,
  follows: Exchange | undefined,
): Came {
  const end = follows?.end;
  if (end === undefined) {
    return { kind: 'failed', error: new Error('did not look whose it is'), at: Infinity };
  }
  const { object, error, at } = end;
  if (error !== undefined) return { kind: 'failed', error, at };
  if (object === undefined) return { kind: 'failed', error: taken, at };
  const isSibling = isOurs(object, ownerUid);
  const machine = object.metadata.labels?.[labels.nodeUid];
  const isSame = machine === undefined || machine === wanted.metadata.labels?.[labels.nodeUid];
  if (isSibling && isSame) return { kind: 'written', done: 'adopt' };
  return { kind: 'rejected', rejection: ofOther(object, isSibling) };
}

function ofOther({ kind, metadata }: KubeObject, isSibling: boolean): Rejection {
  const { name, namespace = '', deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) {
    const whose = isSibling ? 'is for another machine' : 'belongs to somebody else';
    const message = `${kind} ${namespace}/${name} exists and ${whose}`;
    return { name, code: 'NameConflict', message };
  }
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const stranger =
    owner === undefined ? 'of somebody else' : `of another ${owner.kind} ${owner.name}`;
  const whose = isSibling ? 'for another machine' : stranger;
  const more = finalizers.length > 3 ? ', ...' : '';
  const named = finalizers.slice(0, 3).join(', ');
  const held = finalizers.length === 0 ? '' : ` (finalizers ${named}${more})`;
  const message =
    `the name is held by ${kind} ${name} ${whose}, which is being deleted${held}: ` +
    'wait for its Pods to end, or remove what holds it';
  return { name, code: 'NameTerminating', message };
}

/** Of an object that was to be patched its uid is told: several kinds may have one name. */
function ofRefused(name: string, error: MillraceError, uid?: Uid): Came | undefined {
  const message = String(error.fields['detail'] ?? error.message);
  const code = refusalCode(error, message);
  if (code === undefined) return undefined;
  const whose = uid === undefined ? {} : { uid };
  return { kind: 'rejected', rejection: { name, code, message, ...whose } };
}

function refusalCode({ code, fields }: MillraceError, message: string) {
  switch (code) {
    case 'MR_API_FORBIDDEN': {
      const causes = String(fields['causes'] ?? '').split(',');
      if (causes.includes('NamespaceTerminating')) return 'Refused';
      return message.includes('exceeded quota:') ? 'QuotaExceeded' : 'Forbidden';
    }
    case 'MR_API_INVALID':
    case 'MR_API_TOO_LARGE':
      return 'Invalid';
    case 'MR_API_NOT_FOUND':
      return 'Refused';
    case 'MR_API_REFUSED':
      return fields['status'] === 401 ? undefined : 'Refused';
    default:
      return undefined;
  }
}

type StageOutcome = Pick<AppliedPlan, 'kind' | 'detail' | 'error'>;

/** Undefined: the next stage begins. */
function stageOutcome(
  { came, endedAt }: Walked,
  stage: Stage,
  calledOffAt: number,
): StageOutcome | undefined {
  const failures = came.flatMap(({ result }) => (result.kind === 'failed' ? [result] : []));
  if (failures.length > 0 || came.length < stage.length) {
    return calledOffAt <= endedAt ? { kind: 'aborted' } : ofFailures(failures);
  }
  const isRejected = came.some(({ result }) => result.kind === 'rejected');
  return isRejected ? { kind: 'rejected' } : undefined;
}

/** What trying again can cure comes first, then what is told to nobody but here. */
function ofFailures(failures: readonly { readonly error: unknown; at: number }[]): StageOutcome {
  const errors = failures.toSorted((left, right) => left.at - right.at).map(({ error }) => error);
  const curable = errors.find(
    (error) => !(error instanceof MillraceError) || error.class === 'retryable',
  );
  if (curable !== undefined) return { kind: 'failed', error: curable };
  const known = errors.filter((error) => error instanceof MillraceError);
  const conflict = known.find((error) => error.class === 'conflict');
  if (conflict !== undefined) return { kind: 'conflict', detail: conflict.message };
  return { kind: 'failed', error: known[0] };
}

interface Walk extends StageOutcome {
  readonly came: Walked['came'];
  readonly faults: readonly string[];
  readonly left: ReadonlySet<Exchange>;
}

function told({ came, faults, left, ...outcome }: Walk): AppliedPlan {
  const written = came.flatMap(({ operation, result }) =>
    result.kind === 'written' ? [{ operation, ...result }] : [],
  );
  const needless = [...left].map(
    ({ verb, resource, name }) => `asked for ${verb} ${resource.plural} ${name}, not in its plan`,
  );
  return {
    ...outcome,
    rejections: came.flatMap(({ result }) =>
      result.kind === 'rejected' ? [result.rejection] : [],
    ),
    warnings: written.flatMap(({ operation, warnings = [] }) =>
      warnings.filter(isOfLoss).map((message) => ({ name: nameOf(operation), message })),
    ),
    untold: came.flatMap(({ result }) => (result.kind === 'untold' ? [result.note] : [])),
    writes: written.map(({ operation, done }) =>
      operation.kind === 'emitEvent' ? `${done} Event` : `${done} ${operation.resource.kind}`,
    ),
    faults: [...faults, ...needless],
  };
}

function isOfLoss(text: string): boolean {
  return /^(unknown|duplicate) field /.test(text);
}
