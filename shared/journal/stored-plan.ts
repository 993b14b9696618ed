/**
 * A plan as the journal keeps it. An operation resembles the last one of its kind on the same
 * resource (the same Job under another name), and a new status the one that was seen.
 */
import type { Json, Uid } from '#shared/domain/objects.ts';
import type { Operation, Plan } from '#shared/domain/plan.ts';
import { isRedactedAsWhole, redactMember } from '#shared/domain/redact.ts';
import { applied, asObject, difference, type Delta, type Telling } from './delta.ts';

export interface StoredOperation {
  /** What it is and on what, e.g. `create Job`. */
  readonly of: string;
  /** From the latest operation of which `of` is the same, if any, with the status that was seen. */
  readonly delta?: Delta;
}

export type StoredPlan = readonly (readonly StoredOperation[])[];

/** What is redacted by rules of its own is written as a whole. */
export const redacting: Telling = { isWhole: isRedactedAsWhole, told: redactMember };

/** The latest operation of each kind, through the plans of one object. */
export type LatestOperations = ReadonlyMap<string, Json>;

/** The base of the differences between plans of one object. */
export interface PlanBase {
  readonly latest: LatestOperations;
  /** Of the same record. */
  readonly snapshot: Json;
  /** Of the object that was decided about. */
  readonly uid: Uid;
}

/** The plan, redacted, and the base of the next one. */
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

/** The inverse. Throws a RangeError when the plan was not told from these. */
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
  // Operations are plain data; the compiler cannot say so of `object`.
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

/** The status of the object decided about, wherever in the snapshot that stands. */
function seenStatus({ snapshot, uid }: PlanBase): Json | undefined {
  const object = Object.values(asObject(snapshot)).find(
    (member) => asObject(asObject(member)['metadata'])['uid'] === uid,
  );
  return asObject(object)['status'];
}
