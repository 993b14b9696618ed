/** A DaemonJob as a follower sees it: each of its Jobs is a step that waits for nothing. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { StepState } from '#shared/api/job-flow.ts';
import { childState } from '#shared/domain/child-state.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { annotations } from '#shared/domain/labels.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { FlowPicture, StepPicture } from './flow-picture.ts';

const states: Readonly<Record<ReturnType<typeof childState>['kind'], StepState>> = {
  pending: 'Pending',
  running: 'Running',
  suspended: 'Suspended',
  succeeded: 'Succeed',
  failed: 'Failed',
};

/** Times are those of seeing: the API server's are whole seconds. */
export class DaemonJobObserver {
  readonly #startedMs: number;
  readonly #seen = new Map<string, { readonly started: number; ended?: number }>();
  #endedMs: number | undefined;

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  picture({ metadata, status }: DaemonJob, jobs: Iterable<KubeObject>, nowMs: number): FlowPicture {
    const isTrue = (wanted: string) =>
      status?.conditions?.some(({ type, status: is }) => type === wanted && is === 'True') === true;
    const isEnded = isTrue('Complete') || isTrue('Failed');
    if (isEnded) this.#endedMs ??= nowMs;
    const started = [...jobs].map((job) => this.#step(job, nowMs));
    const known = new Set(started.map(({ name }) => name));
    const skipped = (status?.nodes ?? [])
      .filter(({ name, state }) => state === 'Skipped' && !known.has(name))
      .map((entry): StepPicture => ({ ...unstarted, ...entry, state: 'Skipped' }));
    return {
      name: metadata.name,
      state: status?.state ?? 'Pending',
      isEnded,
      hasFailed: isTrue('Failed'),
      startedMs: this.#startedMs,
      endedMs: isEnded ? this.#endedMs : undefined,
      reason: status?.reason,
      message: status?.message,
      steps: [...started, ...skipped].sort((left, right) => compareTexts(left.name, right.name)),
    };
  }

  #step(job: KubeObject, nowMs: number): StepPicture {
    const seen = this.#seen.get(job.metadata.uid) ?? { started: nowMs };
    const state = childState(asObservedJob(job), 'DaemonJob');
    const hasEnded = state.kind === 'succeeded' || state.kind === 'failed';
    if (hasEnded) seen.ended ??= nowMs;
    this.#seen.set(job.metadata.uid, seen);
    return {
      ...unstarted,
      name: job.metadata.annotations?.[annotations.nodeName] ?? job.metadata.name,
      state: states[state.kind],
      startedMs: seen.started,
      endedMs: seen.ended,
      reason: state.kind === 'failed' ? state.reason : undefined,
      message: state.kind === 'failed' ? state.message : undefined,
    };
  }
}

const unstarted: StepPicture = {
  name: '',
  state: 'Waiting',
  dependencies: [],
  startedMs: undefined,
  endedMs: undefined,
  cause: undefined,
  attempt: 0,
  reason: undefined,
  message: undefined,
};
