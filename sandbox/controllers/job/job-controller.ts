/**
 * The Job controller: maintains the Pods of a Job, counts how they end, and ends the Job. Rule:
 * pkg/controller/job/job_controller.go of Kubernetes 1.36. Unlike there, a sync follows every change at once: the real
 * one batches the Pod events of a second.
 */
import { rfc3339 } from '#shared/domain/time.ts';
import type { StoreEvent } from '../../store/object-store.ts';
import { type Controller, type ControllerContext, earliest } from '../controller.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { isKind, kindOf } from '../kinds.ts';
import { asJob, isJobFinished, isSuspended, type Job } from '../objects/job.ts';
import { asPod, isDeleted, isTracked, jobOwnerOf, type Pod } from '../objects/pod.ts';
import { Writes } from '../writes.ts';
import { afterPods, type FailureRecord, noFailure } from './failure-backoff.ts';
import { delayedPods, failedIndexesOf } from './index-failures.ts';
import { completionsReached, deadlineMs, fateOf, isComplete } from './job-fate.ts';
import { claimPods, offerOrphan, releasePods } from './job-ownership.ts';
import { deleteActivePods, type Managed, managePods } from './job-pods.ts';
import { withJobCondition } from './job-conditions.ts';
import { recordProgress } from './job-progress.ts';
import {
  isFailed,
  type JobSync,
  lookAt,
  previousIndexesOf,
  succeededIndexesOf,
  uncountedPods,
} from './job-sync.ts';

export const jobFieldManager = 'kube-controller-manager';

export class JobController implements Controller {
  readonly name = 'job';
  readonly #record: RecordEvent;
  /** By uid of the Job; lost with the process, as upstream. */
  readonly #failures = new Map<string, FailureRecord>();

  constructor(record: RecordEvent) {
    this.#record = record;
  }

  keysFor({ resourceType, object, old, type }: StoreEvent): readonly string[] {
    const { namespace = '', name, uid } = object.metadata;
    if (isKind(resourceType, 'jobs')) {
      const isOver = type === 'DELETED' || isJobFinished(asJob(object));
      return isOver ? [`job ${namespace} ${name}`, `release ${uid}`] : [`job ${namespace} ${name}`];
    }
    if (!isKind(resourceType, 'pods')) return [];
    const pods = old === undefined ? [asPod(object)] : [asPod(object), asPod(old)];
    const owners = new Set(pods.map((pod) => jobOwnerOf(pod)?.name));
    return [...owners]
      .flatMap((owner) => (owner === undefined ? [] : [`job ${namespace} ${owner}`]))
      .concat(needsNoOwner(asPod(object), type) ? [] : [`orphan ${namespace} ${name}`]);
  }

  reconcile(key: string, context: ControllerContext): number | undefined {
    const [what = '', namespace = '', name = ''] = key.split(' ');
    const writes = new Writes(context.api, jobFieldManager);
    if (what === 'orphan') offerOrphan(namespace, name, context.api, writes);
    if (what === 'release') releasePods(namespace, context.api, writes);
    if (what !== 'job') return undefined;
    const object = context.api.store.get(kindOf(context.api, 'jobs'), namespace, name);
    if (object === undefined) return undefined;
    const job = asJob(object);
    if (isJobFinished(job)) {
      this.#failures.delete(job.metadata.uid);
      return undefined;
    }
    // A Job with another `managedBy` is left to that manager (KEP-4368).
    if ((job.spec.managedBy ?? builtInManager) !== builtInManager) return undefined;
    return this.#sync(job, writes, context);
  }

  #sync(job: Job, writes: Writes, { api, clock }: ControllerContext): number | undefined {
    const { uid } = job.metadata;
    const pods = claimPods(job, api, writes);
    const sync = this.#look(job, pods, clock.now());
    const types = { jobs: kindOf(api, 'jobs'), pods: kindOf(api, 'pods') };
    const effects = { writes, ...types, record: this.#record };
    sync.fate = fateOf(sync);
    let managed: Managed = {};
    let toldSuspension = false;
    if (sync.fate !== undefined) {
      deleteActivePods(sync, effects);
    } else {
      const isManaged = job.metadata.deletionTimestamp === undefined;
      if (isManaged) managed = managePods(sync, effects);
      if (isComplete(sync)) sync.fate = completionsReached;
      else if (isManaged) toldSuspension = this.#tellSuspension(sync);
    }
    const onCounted = () => this.#failures.set(uid, sync.record);
    recordProgress(sync, takeCounts(sync) || toldSuspension, { ...effects, onCounted });
    if (isJobFinished(sync.job)) this.#failures.delete(uid);
    if (managed.failure !== undefined) throw managed.failure;
    const isOver = isJobFinished(sync.job) || sync.fate !== undefined;
    return isOver
      ? undefined
      : earliest(managed.lookAgainMs, deadlineMs(job, sync.draft.startTime));
  }

  #look(job: Job, pods: readonly Pod[], nowMs: number): JobSync {
    const { succeeded: counted = [], failed: countedFailed = [] } =
      job.status?.uncountedTerminatedPods ?? {};
    const succeeded = uncountedPods(job, pods, counted).filter(
      ({ status }) => status?.phase === 'Succeeded',
    );
    const failed = uncountedPods(job, pods, countedFailed).filter((pod) => isFailed(pod, job));
    const before = this.#failures.get(job.metadata.uid) ?? noFailure;
    const record = afterPods(before, succeeded, failed);
    const failedIndexes = failedIndexesOf(job, pods);
    const done = succeededIndexesOf(job, pods, previousIndexesOf(job));
    const delayed = delayedPods(job, pods, done, failedIndexes ?? []);
    const sync = lookAt(
      job,
      pods,
      { succeeded, failed },
      record,
      { failedIndexes, delayed },
      nowMs,
    );
    if (!isSuspended(job)) sync.draft.startTime ??= rfc3339(nowMs);
    return sync;
  }

  /** Sets the condition Suspended and reports its change. A resumed Job starts anew. */
  #tellSuspension({ job, draft, nowMs }: JobSync): boolean {
    const turn = isSuspended(job) ? suspended : resumed;
    const conditions = withJobCondition(draft.conditions, turn.condition, nowMs);
    if (conditions === draft.conditions) return false;
    draft.conditions = conditions;
    draft.startTime = isSuspended(job) ? undefined : rfc3339(nowMs);
    const { message } = turn.condition;
    this.#record(job, { type: 'Normal', reason: turn.event, message });
    return true;
  }
}

const builtInManager = 'kubernetes.io/job-controller';

const suspended = {
  event: 'Suspended',
  condition: {
    type: 'Suspended',
    status: 'True',
    reason: 'JobSuspended',
    message: 'Job suspended',
  },
} as const;

const resumed = {
  event: 'Resumed',
  condition: {
    type: 'Suspended',
    status: 'False',
    reason: 'JobResumed',
    message: 'Job resumed',
  },
} as const;

/** A Pod without controller may be adopted. A tracked Pod in deletion may belong to a Job that is gone. */
function needsNoOwner(pod: Pod, type: StoreEvent['type']): boolean {
  if (type === 'DELETED') return true;
  const hasController = pod.metadata.ownerReferences?.some(({ controller }) => controller) === true;
  return hasController && !(isTracked(pod) && isDeleted(pod));
}

/** Copies the counters of the sync into the status. Returns whether it changed. */
function takeCounts({ draft, job, active, ready, terminating }: JobSync): boolean {
  const { status } = job;
  draft.active = active;
  draft.ready = ready;
  draft.terminating = terminating;
  return (
    active !== (status?.active ?? 0) ||
    ready !== status?.ready ||
    terminating !== status.terminating
  );
}
