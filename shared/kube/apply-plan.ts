/**
 * All writes to the cluster, except a Lease, which is not part of a plan.
 *
 * apply-1 Applying a plan again after any interruption ends in the same state. A create that was applied is adopted by
 *    its controller owner's uid. Deletes and patches carry the uid, and the status patch the resourceVersion as
 *    well. An Event has a derived name.
 * apply-2 Stages run in order. A stage begins only when every operation of the one before it succeeded.
 * apply-3 No operation is running any more when this returns.
 * apply-4 An Event never fails a plan: it only reports the work.
 * apply-5 A refused change or deletion of an object is passed on like a refused create, and the rest of its stage is
 *    carried out: an admission of the cluster may refuse any of them.
 * apply-6 Nothing is sent once the signal is aborted: another process has taken over, or will.
 * apply-7 A refusal that is passed on never quotes a value of an environment variable.
 * apply-8 A stage begins only while the decided state is still current, if that can be checked.
 */
import { errorClassOf, hasCode, MillraceError } from '#shared/domain/errors.ts';
import { isObject } from '#shared/domain/json-value.ts';
import {
  isControlledBy,
  type JsonObject,
  type KubeObject,
  type NewObject,
  objectName,
  type ObjectName,
  type Uid,
  type Resource,
} from '#shared/domain/objects.ts';
import type {
  CreateOperation,
  DeleteOperation,
  EmitEventOperation,
  Operation,
  PatchOperation,
  PatchStatusOperation,
  Plan,
  Stage,
} from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { traceOf } from '#shared/domain/trace.ts';
import { reportsLoss, type WriteWarning } from '#shared/domain/write-warning.ts';
import type {
  ApplyContext,
  ApplyOutcome,
  Conflict,
  Failed,
  WrittenObject,
} from './apply-outcome.ts';
import { eachBounded } from './bounded.ts';
import { clusterEvent } from './cluster-event.ts';
import { rejectionOf } from './rejection-of.ts';
import { isTaken } from './is-taken.ts';
import { isOfAnotherMachine, nameRejection } from './name-rejection.ts';
import { withoutQuotedValues } from './quoted-values.ts';
import { resources } from '#shared/domain/resources.ts';

export type { ApplyContext, ApplyOutcome, WrittenObject } from './apply-outcome.ts';

/** Concurrent operations of one stage. */
export const concurrentOperations = 16;
/**
 * A stage of this size takes long anyway, so fewer run at once. Otherwise requests of others would wait behind them.
 */
const ofLongStage = { operations: 65, atOnce: 4 };

type Result =
  | {
      readonly kind: 'written';
      readonly write: WrittenObject;
      readonly warnings: readonly WriteWarning[];
    }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  | { readonly kind: 'note'; readonly note: string };

/** Carries out a plan. Never rejects: the writes before a fault are in effect and are reported too. */
export async function applyPlan(plan: Plan, context: ApplyContext): Promise<ApplyOutcome> {
  const writes: WrittenObject[] = [];
  const notes: string[] = [];
  const warnings: WriteWarning[] = [];
  for (const stage of plan) {
    const changed = await whatChanged(stage, writes, context);
    if (changed !== undefined) return { ...changed, writes, notes, warnings };
    const { results, errors } = await eachBounded(stage, atOnce(stage), (operation) => {
      context.signal?.throwIfAborted();
      return applyOperation(operation, context);
    });
    writes.push(...results.flatMap((each) => (each.kind === 'written' ? [each.write] : [])));
    notes.push(...results.flatMap((each) => (each.kind === 'note' ? [each.note] : [])));
    warnings.push(...results.flatMap((each) => (each.kind === 'written' ? each.warnings : [])));
    if (errors.length > 0) {
      const isCalledOff = context.signal?.aborted === true;
      const ending = isCalledOff ? ({ kind: 'aborted' } as const) : endingBy(errors);
      return { ...ending, writes, notes, warnings };
    }
    const rejections = results.flatMap((each) =>
      each.kind === 'rejected' ? [each.rejection] : [],
    );
    if (rejections.length > 0) return { kind: 'rejected', rejections, writes, notes, warnings };
  }
  return { kind: 'applied', writes, notes, warnings };
}

function atOnce({ length }: Stage): number {
  return length < ofLongStage.operations ? concurrentOperations : ofLongStage.atOnce;
}

/** apply-8. Undefined: no change is known, or the run is aborted (apply-6). */
async function whatChanged(
  stage: Stage,
  writes: readonly WrittenObject[],
  { isStillSo, signal }: ApplyContext,
): Promise<Conflict | Failed | undefined> {
  const isCalledOff = (): boolean => signal?.aborted === true;
  if (isStillSo === undefined || isCalledOff()) return undefined;
  try {
    const isSo = isStillSo(stage, writes);
    if (isSo === true || (await isSo) || isCalledOff()) return undefined;
    return { kind: 'conflict', detail: 'the object changed in the middle of a plan' };
  } catch (error) {
    return isCalledOff() ? undefined : { kind: 'failed', error };
  }
}

/**
 * Of several faults, one that trying again can cure wins: the others come again if they are real. A conflict is
 * next.
 */
function endingBy(errors: readonly unknown[]): Conflict | Failed {
  const retryable = errors.find((error) => errorClassOf(error) === 'retryable');
  if (retryable !== undefined) return { kind: 'failed', error: retryable };
  const conflict = errors.find((error) => errorClassOf(error) === 'conflict');
  if (conflict === undefined) return { kind: 'failed', error: errors[0] };
  return { kind: 'conflict', detail: (conflict as MillraceError).message };
}

async function applyOperation(operation: Operation, context: ApplyContext): Promise<Result> {
  switch (operation.kind) {
    case 'create':
      return applyCreate(operation, context);
    case 'patch':
      return orRefused(operation, context, applyPatch);
    case 'patchStatus':
      return written(operation.resource, await applyStatus(operation, context));
    case 'delete':
      return orRefused(operation, context, applyDelete);
    case 'emitEvent':
      return applyEvent(operation, context);
  }
}

async function applyCreate(operation: CreateOperation, context: ApplyContext): Promise<Result> {
  const { resource, object } = operation;
  const { client, fieldManager } = context;
  const { name } = object.metadata;
  const warnings: WriteWarning[] = [];
  const onWarning = (message: string): void => {
    if (reportsLoss(message)) warnings.push({ name, message });
  };
  try {
    const created = await withoutQuotedValues(object, () =>
      client.create(resource, object, { fieldManager, onWarning }),
    );
    return written(resource, outcomeOf('create', created), [
      ...warnings,
      ...alterationsOf(object, created),
    ]);
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    if (isTaken(error)) return adopt(operation, context, error);
    const losses = warnings.map(({ message }) => message);
    const rejection = rejectionOf(name, error, losses);
    if (rejection === undefined) throw error;
    return { kind: 'rejected', rejection };
  }
}

/**
 * Law 3: if another party adds a TTL, the object may vanish before its result is recorded. The answer to the create
 * shows that first.
 */
function alterationsOf(asked: NewObject, created: KubeObject): readonly WriteWarning[] {
  const field = 'ttlSecondsAfterFinished';
  const [before, after] = [asked, created].map(({ spec }) =>
    isObject(spec ?? null) ? (spec as JsonObject)[field] : undefined,
  );
  if (after === undefined || after === before) return [];
  const message = `an admission of the cluster set spec.${field} to ${JSON.stringify(after)}`;
  return [{ name: asked.metadata.name, message, isAltered: true }];
}

/**
 * The name is taken. The uid of the controller owner shows whose object it is (law 2), and a label which machine it
 * is for.
 */
async function adopt(
  operation: CreateOperation,
  { client, signal }: ApplyContext,
  taken: MillraceError,
): Promise<Result> {
  const { resource, ownerUid } = operation;
  const existing = await client.get(resource, objectName(operation.object.metadata), signal);
  // Deleted in between: the next decision creates it.
  if (existing === undefined) throw taken;
  if (isOfAnotherMachine(existing, operation.object)) {
    return { kind: 'rejected', rejection: nameRejection(existing, ownerUid) };
  }
  // This also holds while it is being deleted: it is the requested attempt, and the next decision judges its state.
  if (isControlledBy(existing.metadata, ownerUid)) {
    return written(resource, outcomeOf('adopt', existing));
  }
  return { kind: 'rejected', rejection: nameRejection(existing) };
}

/** apply-5 */
async function orRefused<Changing extends PatchOperation | DeleteOperation>(
  operation: Changing,
  context: ApplyContext,
  change: (operation: Changing, context: ApplyContext) => Promise<Outcome>,
): Promise<Result> {
  const { resource, target, uid } = operation;
  try {
    return written(resource, await change(operation, context));
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    const rejection = rejectionOf(target.name, error);
    if (rejection === undefined) throw error;
    return { kind: 'rejected', rejection: { ...rejection, uid } };
  }
}

async function applyPatch(operation: PatchOperation, context: ApplyContext): Promise<Outcome> {
  const { resource, target, uid, patch, resourceVersion } = operation;
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  const metadata = { ...(patch['metadata'] as object | undefined), uid, ...version };
  try {
    const patched = await withoutQuotedValues(patch, () =>
      context.client.patch(
        resource,
        target,
        { ...patch, metadata },
        { type: 'merge', fieldManager: context.fieldManager },
      ),
    );
    return outcomeOf('patch', patched);
  } catch (error) {
    if (await isGone(error, operation, context)) return goneOutcome(target, uid);
    throw error;
  }
}

/**
 * Whether the object with this uid is gone. The server has no answer of its own for that. A patch for another uid is
 * invalid and a delete is a conflict, and both have other causes too.
 */
async function isGone(
  error: unknown,
  { resource, target, uid }: PatchOperation | DeleteOperation,
  { client, signal }: ApplyContext,
): Promise<boolean> {
  if (hasCode(error, 'MR_API_NOT_FOUND')) return true;
  if (!hasCode(error, 'MR_API_INVALID') && !hasCode(error, 'MR_API_CONFLICT')) return false;
  const existing = await client.get(resource, target, signal);
  return existing?.metadata.uid !== uid;
}

async function applyStatus(
  operation: PatchStatusOperation,
  context: ApplyContext,
): Promise<Outcome> {
  const { resource, target, uid, resourceVersion, status } = operation;
  try {
    const patched = await withoutQuotedValues(status, () =>
      context.client.patch(
        resource,
        target,
        { metadata: { uid, resourceVersion }, status },
        { type: 'merge', subresource: 'status', fieldManager: context.fieldManager },
      ),
    );
    return outcomeOf('patchStatus', patched);
  } catch (error) {
    if (hasCode(error, 'MR_API_NOT_FOUND')) return goneOutcome(target, uid);
    throw error;
  }
}

async function applyDelete(operation: DeleteOperation, context: ApplyContext): Promise<Outcome> {
  const { resource, target, uid, propagation, resourceVersion, gracePeriodSeconds } = operation;
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  try {
    const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    await context.client.delete(resource, target, { uid, propagation, ...version, ...grace });
    return { done: 'delete', ...target, uid };
  } catch (error) {
    if (await isGone(error, operation, context)) return goneOutcome(target, uid);
    throw error;
  }
}

async function applyEvent(operation: EmitEventOperation, context: ApplyContext): Promise<Result> {
  const { client, fieldManager, instance, clock } = context;
  const event = clusterEvent(operation, { controller: fieldManager, instance }, clock.now());
  try {
    const created = await client.create(resources.Event, event, { fieldManager });
    return written(resources.Event, outcomeOf('emitEvent', created));
  } catch (error) {
    if (isTaken(error)) {
      return written(resources.Event, { done: 'adopt', ...objectName(event.metadata) });
    }
    if (!(error instanceof MillraceError)) throw error;
    return { kind: 'note', note: `Event ${operation.reason}: ${error.message}` };
  }
}

type Outcome = Omit<WrittenObject, 'resource'>;

function written(
  resource: Resource,
  outcome: Outcome,
  warnings: readonly WriteWarning[] = [],
): Result {
  return { kind: 'written', write: { resource, ...outcome }, warnings };
}

function outcomeOf(done: WrittenObject['done'], { metadata }: KubeObject): Outcome {
  const { name, uid, resourceVersion } = metadata;
  const trace = traceOf(metadata);
  const own = trace === name ? {} : { trace };
  return { done, ...objectName(metadata), uid, resourceVersion, ...own };
}

function goneOutcome(target: ObjectName, uid: Uid): Outcome {
  return { done: 'gone', ...target, uid };
}
