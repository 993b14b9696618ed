/**
 * What is owed to a flow at this moment: what a decision on the present state of the API server would
 * write. Whether it is the right thing is for the model to say; here it is asked how long nobody has
 * done it.
 */
import type { JobFlow, JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import { labels } from '#shared/domain/labels.ts';
import {
  controllerOf,
  isControlledBy,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import type { Operation, Plan, PatchStatusOperation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { parseTime } from '#shared/domain/time.ts';
import { nameRejection } from '#shared/kube/name-rejection.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { decide } from '#functions/flow-advance/decide.ts';
import { observe } from '#functions/flow-advance/observe.ts';
import { type FlowSnapshot, withRejections } from '#functions/flow-advance/snapshot.ts';
import type { ObjectStore } from '#sandbox';

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
  /** Whoever reads from a view of its own notices a Job that is gone before it is written down. */
  readonly noticesRemovals: boolean;
}

const nothing: Owed = { writes: [], nextMs: undefined, isRefused: false };

export async function owedTo(
  flow: KubeObject,
  store: ObjectStore,
  { nowMs, noticesRemovals }: Onlook,
): Promise<Owed> {
  const { apiVersion, kind, metadata } = flow;
  const { name, namespace = '', uid } = metadata;
  const snapshot = await observe(
    { apiVersion, kind, namespace, name, uid },
    storeReader(store, noticesRemovals),
  );
  if (snapshot === undefined) return nothing;
  const first = decide(snapshot, { nowMs, gates: {} });
  const refused = refusalsOf(first.plan, snapshot.flow, store);
  const { plan, requeueAtMs } =
    refused.length === 0 ? first : decide(withRejections(snapshot, refused), { nowMs, gates: {} });
  return {
    writes: plan.flat().flatMap((operation) => wordsOf(operation, snapshot.flow)),
    nextMs: earliest([requeueAtMs ?? NaN, ...dueTimes(snapshot)].filter((dueMs) => dueMs > nowMs)),
    isRefused: refused.length > 0 || refusedRecords(snapshot.flow).length > 0,
  };
}

/** Names that somebody else holds. */
function refusalsOf(plan: Plan, { metadata: { uid } }: JobFlow, store: ObjectStore) {
  return plan.flat().flatMap((operation) => {
    if (operation.kind !== 'create') return [];
    const { namespace = '', name } = operation.object.metadata;
    const holder = store.get(resources.Job, namespace, name);
    const isFree = holder === undefined || isControlledBy(holder.metadata, uid);
    return isFree ? [] : [nameRejection(holder)];
  });
}

function refusedRecords({ status }: JobFlow) {
  return (status?.jobStatusList ?? []).filter(
    ({ state, reason }) => state === 'Blocked' && reason !== 'JobTemplateNotFound',
  );
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
    removedByOwner: () => (noticesRemovals ? [] : undefined),
  };
}

/**
 * The times on record at which something falls due, milliseconds since the epoch, whether or not a
 * decision asks to look again then.
 */
function dueTimes({ flow: { metadata, spec, status }, jobs }: FlowSnapshot): readonly number[] {
  const retries = (status?.jobStatusList ?? []).map(({ nextRetryTime }) => after(nextRetryTime, 0));
  const starts = jobs.map(({ startTime }) => after(startTime, passingMs));
  const remarks = jobs.flatMap(({ conditions }) =>
    conditions.map(({ lastTransitionTime }) => after(lastTransitionTime, passingMs)),
  );
  return [
    ...retries,
    ...starts,
    ...remarks,
    after(status?.lastUpdateTime, courseMs),
    after(status?.completionTime, (spec.ttlSecondsAfterFinished ?? NaN) * 1_000),
    after(metadata.creationTimestamp, (spec.startDeadlineSeconds ?? NaN) * 1_000),
  ];
}

/** A step that lasts longer is told to be running (see decide/coalesce.ts), milliseconds. */
const passingMs = 1_000;
/** How often the ordinary course of a flow is told, milliseconds. */
const courseMs = 1_000;

/** NaN when there is no such time. */
function after(time: string | undefined, ms: number): number {
  return (parseTime(time) ?? NaN) + ms;
}

function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Events tell of what the status tells. */
function wordsOf(operation: Operation, { status = {} }: JobFlow): readonly string[] {
  switch (operation.kind) {
    case 'create':
      return [`create ${operation.object.metadata.name}`];
    case 'patch':
      return [`patch ${operation.target.name} ${JSON.stringify(operation.patch)}`];
    case 'delete':
      return [`delete ${operation.resource.kind} ${operation.target.name}`];
    case 'patchStatus':
      return statusWords(operation, status);
    case 'emitEvent':
      return [];
  }
}

function statusWords({ status }: PatchStatusOperation, known: JobFlowStatus): readonly string[] {
  const { jobStatusList = [], conditions = [], ...rest } = status as JobFlowStatus;
  // When it was written is told with whatever is written.
  const others = Object.entries(rest).filter(([field]) => field !== 'lastUpdateTime');
  return [
    ...jobStatusList.flatMap((record) => recordWords(record, known)),
    ...conditions.flatMap((condition) => conditionWords(condition, known)),
    ...others.map(([field, value]) =>
      isTime(field) ? `status ${field}` : `status ${field} ${JSON.stringify(value)}`,
    ),
  ];
}

/** Of the decision itself, where no Job tells it: another one at each look. */
function isTime(field: string): boolean {
  return field === 'startTime' || field === 'completionTime';
}

function recordWords(record: StepRecord, { jobStatusList }: JobFlowStatus): readonly string[] {
  const { name, state, attempt, reason } = record;
  const was = jobStatusList?.find((other) => other.name === name);
  if (JSON.stringify(record) === JSON.stringify(was)) return [];
  return [`status of ${name}: ${[state, attempt, reason].join(' ').trim()}`];
}

function conditionWords(
  { type, status, reason }: NonNullable<JobFlowStatus['conditions']>[number],
  { conditions }: JobFlowStatus,
): readonly string[] {
  const was = conditions?.find((other) => other.type === type);
  const isSame = was?.status === status && was.reason === reason;
  return isSame ? [] : [`condition ${type} ${status} ${reason}`];
}
