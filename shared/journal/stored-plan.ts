/**
 * A plan as the journal keeps it. An operation is stored as the difference from the last one of its
 * kind on the same resource, such as the same Job under another name. A new status is stored as the
 * difference from the observed one.
 */
import type { Json, Uid } from '#shared/domain/objects.ts';
import type { Operation, Plan } from '#shared/domain/plan.ts';
import { isRedactedAsWhole, redactMember } from '#shared/domain/redact.ts';
import { applied, asObject, difference, type Delta, type DeltaForm } from './delta.ts';

export interface StoredOperation {
  /** Operation and resource, such as `create Job`. */
  readonly of: string;
  /** From the latest operation with the same `of`, if any, with the observed status. */
  readonly delta?: Delta;
}

export type StoredPlan = readonly (readonly StoredOperation[])[];

/** Values with redaction rules of their own are written as a whole. */
export const redacting: DeltaForm = { isWhole: isRedactedAsWhole, written: redactMember };

/** The latest operation of each kind over the plans of one object. */
export type LatestOperations = ReadonlyMap<string, Json>;

/** The base for differences between plans of one object. */
export interface PlanBase {
  readonly latest: LatestOperations;
  /** The snapshot of the same record. */
  readonly snapshot: Json;
  /** Uid of the decided object. */
  readonly uid: Uid;
}

/** Returns the redacted plan, and the base for the next one. */
export function storedPlan(
  base: PlanBase,
  plan: Plan,
): { readonly plan: StoredPlan; readonly latest: LatestOperations } {
  const next = new Map(base.latest);
  const status = seenStatus(base);
  const stored = plan.map((stage) =>
    stage.map((operation) => storedOperation(next, status, operation)),
  );
  return { plan: stored, latest: next };
}

/** The inverse. Throws a RangeError if the plan does not fit this base. */
export function restoredPlan(
  base: PlanBase,
  stored: StoredPlan,
): { readonly plan: Json; readonly latest: LatestOperations } {
  const next = new Map(base.latest);
  const status = seenStatus(base);
  const plan = stored.map((stage) =>
    stage.map((operation) => restoredOperation(next, status, operation)),
  );
  return { plan, latest: next };
}

function storedOperation(
  latest: Map<string, Json>,
  status: Json | undefined,
  operation: Operation,
): StoredOperation {
  const of = `${operation.kind} ${'resource' in operation ? operation.resource.kind : 'Event'}`;
  // Operations are plain data, which the type `object` does not express.
  const value = operation as unknown as Json;
  const delta = difference(baseOf(latest, status, of), value, redacting);
  latest.set(of, value);
  return delta === undefined ? { of } : { of, delta };
}

function restoredOperation(
  latest: Map<string, Json>,
  status: Json | undefined,
  { of, delta }: StoredOperation,
): Json {
  const base = baseOf(latest, status, of);
  if (base === null && delta === undefined) throw new RangeError(`no operation ${of} before`);
  const value = delta === undefined ? base : applied(base, delta);
  latest.set(of, value);
  return value;
}

function baseOf(latest: Map<string, Json>, status: Json | undefined, of: string): Json {
  const last = latest.get(of);
  if (status === undefined || !of.startsWith('patchStatus ')) return last ?? null;
  return { ...asObject(last), status };
}

/** The status of the decided object, wherever it is in the snapshot. */
function seenStatus({ snapshot, uid }: PlanBase): Json | undefined {
  const object = Object.values(asObject(snapshot)).find(
    (member) => asObject(asObject(member)['metadata'])['uid'] === uid,
  );
  return asObject(object)['status'];
}
