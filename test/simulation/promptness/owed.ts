/**
 * The writes that are due for an object now: those of a decision on the API server's current state. The model
 * checks whether they are right; here only their delay is measured.
 */
import type { Condition } from '#shared/domain/conditions.ts';
import { labels } from '#shared/domain/labels.ts';
import {
  controllerOf,
  isControlledBy,
  type JsonObject,
  type KubeObject,
  type Resource,
  type Uid,
} from '#shared/domain/objects.ts';
import type { Operation, Plan } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { resources } from '#shared/domain/resources.ts';
import { parseTime } from '#shared/domain/time.ts';
import { nameRejection } from '#shared/kube/name-rejection.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { ObjectStore } from '#sandbox';
import { eventsIn } from '../model/job-events.ts';
import type { JudgedKind } from '../model/kind-model.ts';

export interface Owed {
  /** The effect of each write, in words that stay equal while it is due. */
  readonly writes: readonly string[];
  /** When something else is due at the latest, in milliseconds since the epoch. Undefined: unknown. */
  readonly nextMs: number | undefined;
  /** A step waits for the cluster to permit its Job, which no event reports, so it is tried from time to time. */
  readonly isRefused: boolean;
}

export interface Onlook {
  /** The API server's time in milliseconds since the epoch. */
  readonly nowMs: number;
  /** A process with its own view notices a vanished Job before it is recorded. */
  readonly noticesRemovals: boolean;
}

/** The promptness of a kind depends on this besides its decisions. */
export interface PromptKind<Snapshot = unknown> {
  readonly judged: JudgedKind<Snapshot>;
  /** Kinds whose changes may concern each object of this kind. */
  readonly concernedBy: readonly string[];
  /** The effect of a status change. */
  statusWords(patch: JsonObject, known: JsonObject): readonly string[];
  /** When something is due, in milliseconds since the epoch, even if no decision requeues then. */
  dueTimes(snapshot: Snapshot): readonly number[];
  /** A part waits for the cluster to permit its Job. */
  isRefused(snapshot: Snapshot): boolean;
}

const nothing: Owed = { writes: [], nextMs: undefined, isRefused: false };

export async function owedTo(
  prompt: PromptKind,
  object: KubeObject,
  store: ObjectStore,
  { nowMs, noticesRemovals }: Onlook,
): Promise<Owed> {
  const { apiVersion, kind, metadata, status } = object;
  const { name, namespace = '', uid } = metadata;
  const { fn } = prompt.judged;
  const reader = storeReader(store, noticesRemovals);
  const snapshot = await fn.observe({ apiVersion, kind, namespace, name, uid }, reader, { nowMs });
  if (snapshot === undefined) return nothing;
  const first = fn.decide(snapshot, { nowMs });
  const refused = refusalsOf(first.plan, uid, store);
  const said = { rejections: refused, warnings: [] };
  const known = fn.secondLook?.knowing(snapshot, said) ?? snapshot;
  const { plan, requeueAtMs } = refused.length === 0 ? first : fn.decide(known, { nowMs });
  const times = [requeueAtMs ?? NaN, ...prompt.dueTimes(snapshot)];
  return {
    writes: plan.flat().flatMap((operation) => wordsOf(prompt, operation, status as JsonObject)),
    nextMs: earliest(times.filter((dueMs) => dueMs > nowMs)),
    isRefused: refused.length > 0 || prompt.isRefused(snapshot),
  };
}

/** Names with other holders. */
function refusalsOf(plan: Plan, uid: Uid, store: ObjectStore): readonly Rejection[] {
  return plan.flat().flatMap((operation) => {
    if (operation.kind !== 'create') return [];
    const { namespace = '', name } = operation.object.metadata;
    const holder = store.get(resources.Job, namespace, name);
    const isFree = holder === undefined || isControlledBy(holder.metadata, uid);
    return isFree ? [] : [nameRejection(holder)];
  });
}

function storeReader(store: ObjectStore, noticesRemovals: boolean): Reader {
  const childrenOf = ({ plural }: Resource, uid: string): readonly KubeObject[] =>
    store.dependentsOf(uid).flatMap(({ type, object }) => (type.plural === plural ? [object] : []));
  return {
    get: async (resource, { namespace, name }) => store.get(resource, namespace, name),
    list: async (resource) => store.list(resource),
    listByOwner: async (kind, { uid }) =>
      childrenOf(kind, uid).filter(
        ({ metadata }) =>
          metadata.labels?.[labels.ownerUid] === uid && controllerOf(metadata)?.uid === uid,
      ),
    listByOwners: async (kind, _root, children) => children.flatMap((uid) => childrenOf(kind, uid)),
    eventsAbout: async ({ uid }) => eventsIn(store, uid),
    onceThere: () => (noticesRemovals ? { traces: [], isWhole: true } : undefined),
  };
}

/** NaN if there is no time. */
export function after(time: string | undefined, ms: number): number {
  return (parseTime(time) ?? NaN) + ms;
}

/**
 * The time itself and the end of the wait after it. While the time is in the future, the clocks differ and
 * nothing waits.
 */
export function heldBackFrom(time: string | undefined, ms: number): readonly number[] {
  return [after(time, 0), after(time, ms)];
}

function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Events report what the status records. */
function wordsOf(
  prompt: PromptKind,
  operation: Operation,
  known: JsonObject = {},
): readonly string[] {
  switch (operation.kind) {
    case 'create':
      return [`create ${operation.object.metadata.name}`];
    case 'patch':
      return [`patch ${operation.target.name} ${JSON.stringify(operation.patch)}`];
    case 'delete':
      return [`delete ${operation.resource.kind} ${operation.target.name}`];
    case 'patchStatus':
      return prompt.statusWords(operation.status, known);
    case 'emitEvent':
      return [];
  }
}

/** The fields of a status. The write time comes with any write. */
export function fieldWords(fields: object): readonly string[] {
  return Object.entries(fields)
    .filter(([field]) => field !== 'lastUpdateTime')
    .map(([field, value]) =>
      isTime(field) ? `status ${field}` : `status ${field} ${JSON.stringify(value)}`,
    );
}

/** A decision's own time, if no Job gives one: it differs at each look. */
function isTime(field: string): boolean {
  return field === 'startTime' || field === 'completionTime';
}

export function conditionWords(
  conditions: readonly Condition[],
  known: readonly Condition[] = [],
): readonly string[] {
  return conditions.flatMap(({ type, status, reason }) => {
    const was = known.find((other) => other.type === type);
    const isSame = was?.status === status && was.reason === reason;
    return isSame ? [] : [`condition ${type} ${status} ${reason}`];
  });
}
