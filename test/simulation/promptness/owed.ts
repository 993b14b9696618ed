/**
 * What is owed to an object at this moment: what a decision on the present state of the API server would
 * write. Whether it is the right thing is for the model to say; here it is asked how long nobody has
 * done it.
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
  /** What each write comes to, in words that stay the same for as long as it is owed. */
  readonly writes: readonly string[];
  /** When something else is due at the latest, milliseconds since the epoch; undefined: nothing is known. */
  readonly nextMs: number | undefined;
  /** A step waits for the cluster to allow its Job, which no event tells of: it is asked now and then. */
  readonly isRefused: boolean;
}

export interface Onlook {
  /** As the API server has it, milliseconds since the epoch. */
  readonly nowMs: number;
  /** A process that reads from a view of its own notices a Job that is gone before it is written down. */
  readonly noticesRemovals: boolean;
}

/** What the promptness of a kind depends on besides its decisions. */
export interface PromptKind<Snapshot = unknown> {
  readonly judged: JudgedKind<Snapshot>;
  /** Kinds of objects of which a change may concern each object of this kind. */
  readonly concernedBy: readonly string[];
  /** What a change of the status comes to. */
  statusWords(patch: JsonObject, known: JsonObject): readonly string[];
  /** When something falls due, milliseconds since the epoch, whether or not a decision asks to look then. */
  dueTimes(snapshot: Snapshot): readonly number[];
  /** Something waits for the cluster to allow its Job. */
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

/** Names that somebody else holds. */
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

/** NaN when there is no such time. */
export function after(time: string | undefined, ms: number): number {
  return (parseTime(time) ?? NaN) + ms;
}

/**
 * When what is held back for so long after a time falls due, and that time itself: while it lies ahead the clocks
 * differ, and nothing is held back.
 */
export function heldBackFrom(time: string | undefined, ms: number): readonly number[] {
  return [after(time, 0), after(time, ms)];
}

function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Events tell of what the status tells. */
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

/** Of fields of a status; when it was written is told with whatever is written. */
export function fieldWords(fields: object): readonly string[] {
  return Object.entries(fields)
    .filter(([field]) => field !== 'lastUpdateTime')
    .map(([field, value]) =>
      isTime(field) ? `status ${field}` : `status ${field} ${JSON.stringify(value)}`,
    );
}

/** Of the decision itself, where no Job tells it: another one at each look. */
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
