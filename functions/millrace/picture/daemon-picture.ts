/** A picture of a DaemonJob: the latest Job of each node is a step without dependencies. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { DaemonJobStatus, NodeEntry } from '#shared/api/daemon-job-status.ts';
import type { StepState } from '#shared/api/job-flow.ts';
import { childState } from '#shared/domain/child-state.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { type Dated, datedBy, Ending, type ObserverOptions } from './ending.ts';
import type { FlowPicture, StepPicture } from './flow-picture.ts';

/** Names of the states of a Job. */
export const jobStates: Readonly<Record<ReturnType<typeof childState>['kind'], StepState>> = {
  pending: 'Pending',
  running: 'Running',
  suspended: 'Suspended',
  succeeded: 'Succeed',
  failed: 'Failed',
};

/** Names of the states of a node whose Job is gone or was never created. */
const entryStates: Readonly<Record<NodeEntry['state'], StepState>> = {
  Failed: 'Failed',
  Cancelled: 'Skipped',
  Blocked: 'Blocked',
  Running: 'Running',
  Unknown: 'Running',
  Suspended: 'Suspended',
  Skipped: 'Skipped',
};

export class DaemonJobObserver {
  readonly #dated: Dated;
  readonly #ending: Ending;
  readonly #seen = new Map<
    string,
    { readonly started: number | undefined; ended?: number | undefined }
  >();

  constructor(options: ObserverOptions) {
    this.#dated = datedBy(options);
    this.#ending = new Ending(options);
  }

  picture({ metadata, status }: DaemonJob, jobs: Iterable<KubeObject>, nowMs: number): FlowPicture {
    const entries = new Map((status?.nodes ?? []).map((entry) => [entry.jobName, entry]));
    const started = latestOfEach(jobs).map((job) =>
      this.#step(job, entries.get(job.metadata.name), nowMs),
    );
    const known = new Set(started.map(({ name }) => name));
    const withoutJob = (status?.nodes ?? [])
      .filter(({ name }) => !known.has(name))
      .map((entry): StepPicture => ({ ...unstarted, ...entry, state: entryStates[entry.state] }));
    return {
      name: metadata.name,
      ...this.#ending.of(status, nowMs),
      ...progressIn(status),
      steps: [...started, ...withoutJob].sort((left, right) => compareTexts(left.name, right.name)),
    };
  }

  #step(job: KubeObject, entry: NodeEntry | undefined, nowMs: number): StepPicture {
    const observed = asObservedJob(job);
    const { startTime } = observed;
    const seen = this.#seen.get(job.metadata.uid) ?? { started: this.#dated(startTime, nowMs) };
    const state = childState(observed, 'DaemonJob');
    if (state.kind === 'succeeded' || state.kind === 'failed') {
      seen.ended ??= this.#dated(state.completionTime, nowMs);
    }
    this.#seen.set(job.metadata.uid, seen);
    const failed = state.kind === 'failed' ? state : undefined;
    return {
      ...unstarted,
      name: job.metadata.annotations?.[annotations.nodeName] ?? job.metadata.name,
      state: jobStates[state.kind],
      startedMs: seen.started,
      endedMs: seen.ended,
      attempt: attemptOf(job),
      reason: failed?.reason ?? entry?.reason,
      // The status quotes the container, the Job only says that it failed.
      message: entry?.message ?? failed?.message,
      jobName: job.metadata.name,
    };
  }
}

/** A retried node has a Job for each attempt. */
function latestOfEach(jobs: Iterable<KubeObject>): readonly KubeObject[] {
  const latest = new Map<string, KubeObject>();
  for (const job of jobs) {
    const node = ownMember(job.metadata.labels, labels.nodeUid) ?? job.metadata.uid;
    const known = latest.get(node);
    if (known === undefined || attemptOf(known) <= attemptOf(job)) latest.set(node, job);
  }
  return [...latest.values()];
}

function attemptOf({ metadata }: KubeObject): number {
  return Number(ownMember(metadata.labels, labels.attempt) ?? 0);
}

/** Counted as in `kubectl get daemonjobs -o wide`: Jobs may be gone, and skipped nodes are not desired. */
function progressIn(status: DaemonJobStatus | undefined): Pick<FlowPicture, 'progress'> {
  const { desired, succeeded = 0 } = status ?? {};
  return desired === undefined ? {} : { progress: `${succeeded} of ${desired}` };
}

/** A part without any information. */
export const unstarted: StepPicture = {
  name: '',
  state: 'Waiting',
  dependencies: [],
  startedMs: undefined,
  endedMs: undefined,
  cause: undefined,
  attempt: 0,
  reason: undefined,
  message: undefined,
  jobName: undefined,
};
