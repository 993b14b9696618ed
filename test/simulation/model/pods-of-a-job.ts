/** Reads from a Job's Pods why it does not run, and how it failed. */
import type { KubeObject } from '#shared/domain/objects.ts';
import { conditionOf, fateOf, jobParts } from './job-fate.ts';
import { isMissingPod, isRefused, isToBeAsked, mostAsked, nextAskedMs } from './job-events.ts';
import { type EventsOfJobs, msOf } from './look.ts';

interface Container {
  readonly name: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly terminated?: { readonly exitCode: number; readonly finishedAt?: string };
  };
}

interface PodStatus {
  readonly phase?: string;
  readonly startTime?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly lastTransitionTime?: string;
  }[];
  readonly containerStatuses?: readonly Container[];
}

export interface HeldUp {
  readonly reason: string;
  readonly mentions: readonly string[];
  /** When it must be reported, in milliseconds since the epoch. */
  readonly dueMs: number;
  /** When to ask again. Absent: a watch event reports the change. */
  readonly againMs?: number;
}

/** Further input about a Job. */
export interface Asked {
  readonly atMs: number;
  /** When the decision began to read, in milliseconds since the epoch. */
  readonly beganAtMs: number;
  /** The recorded reason why it does not run. */
  readonly said: string | undefined;
  readonly events: EventsOfJobs;
}

/** A scheduler often finds a node at its second attempt. Milliseconds. */
const schedulingMs = 3_000;
/** A scheduler and a kubelet notice a Pod at once. Milliseconds. */
const noticingMs = 60_000;
/** A Job controller creates Pods at once. Milliseconds. */
const firstPodMs = 10_000;

/** Stopped Pods are normally gone sooner. Milliseconds. */
const endingMs = 60_000;
/** A working Job controller starts a Job at once. Milliseconds. */
const startingMs = 60_000;

/** Why the Job does not run, even if it is not due yet. */
export function heldUpBy(
  job: KubeObject,
  pods: readonly KubeObject[],
  { atMs, beganAtMs, said, events }: Asked,
): HeldUp | undefined {
  const [first] = podsOf(pods, job)
    .flatMap((pod) => troubleOf(pod))
    .toSorted((left, right) => left.dueMs - right.dueMs);
  if (first !== undefined) return first;
  if (!lacksPod(job, pods)) return undefined;
  const dueMs = msOf(jobParts(job).status.startTime) + firstPodMs;
  const isLeftOut = events.size >= mostAsked && isToBeAsked(job, said, beganAtMs);
  const predicted = events.get(job.metadata.uid) ?? (isLeftOut ? [] : undefined);
  const mentions = [described('job', job)];
  if (predicted !== undefined) {
    // No later Event changes the recorded cause.
    const known = isMissingPod(said) ? said : 'NoPod';
    const reason = isRefused(job, predicted) ? 'FailedCreate' : known;
    return { reason, mentions, dueMs, againMs: nextAskedMs(job, atMs) };
  }
  // It was observed a moment before they were due.
  const againMs = isToBeAsked(job, 'NoPod', atMs) ? atMs + 1 : nextAskedMs(job, atMs);
  if (isMissingPod(said)) return { reason: said, mentions, dueMs, againMs };
  return { reason: 'NoPod', mentions, dueMs: dueMs > atMs ? dueMs : againMs, againMs };
}

/** It is due, or a replica whose clock is ahead has recorded it. */
export function isReported(
  { reason, mentions, dueMs }: HeldUp,
  atMs: number,
  said: { readonly reason?: string; readonly message?: string } | undefined,
): boolean {
  const isOnRecord =
    said?.reason === reason && mentions.every((word) => said.message?.includes(word) === true);
  return dueMs <= atMs || isOnRecord;
}

/** Its Pods are not gone a minute after its deletion, even if that is not due yet. */
export function endingOf(job: KubeObject): HeldUp | undefined {
  const { state, reason } = fateOf(job);
  if (state !== 'Running' || reason === undefined) return undefined;
  const since = job.metadata.deletionTimestamp ?? conditionOf(job, reason)?.lastTransitionTime;
  if (since === undefined) return undefined;
  return { reason, mentions: [described('job', job)], dueMs: msOf(since) + endingMs };
}

/** Its controller has not touched it for a minute, even if that is not due yet. */
export function untouchedBy(job: KubeObject): HeldUp | undefined {
  const { creationTimestamp, deletionTimestamp } = job.metadata;
  const { spec, status } = jobParts(job);
  const isTouched = status.startTime !== undefined || (status.conditions ?? []).length > 0;
  if (isTouched || spec.suspend === true || deletionTimestamp !== undefined) return undefined;
  const mentions = [described('job', job)];
  return { reason: 'JobNotStarted', mentions, dueMs: msOf(creationTimestamp) + startingMs };
}

/** It has started, nothing has failed, and it has no Pod. */
export function lacksPod(job: KubeObject, pods: readonly KubeObject[]): boolean {
  const { active = 0, failed = 0, startTime } = jobParts(job).status;
  if (active > 0 || failed > 0 || startTime === undefined) return false;
  if (podsOf(pods, job).some((pod) => troubleOf(pod).length > 0)) return false;
  // The Pod may be visible before the Job's count. It existed, so it is not missing.
  return !podsOf(pods, job).some((pod) => statusOf(pod).phase === 'Failed');
}

function troubleOf(pod: KubeObject): readonly HeldUp[] {
  const status = statusOf(pod);
  const mentions = [described('pod', pod)];
  if (pod.metadata.deletionTimestamp !== undefined || status.phase !== 'Pending') return [];
  const unplaced = status.conditions?.find(
    ({ type, status: is }) => type === 'PodScheduled' && is === 'False',
  );
  if (unplaced !== undefined) {
    const dueMs = msOf(unplaced.lastTransitionTime) + schedulingMs;
    return [{ reason: 'Unschedulable', mentions, dueMs }];
  }
  const { creationTimestamp } = pod.metadata;
  if (status.startTime === undefined && status.containerStatuses === undefined) {
    const { nodeName } = pod.spec as { readonly nodeName?: string };
    const reason = nodeName === undefined ? 'NotScheduled' : 'NotAccepted';
    return [{ reason, mentions, dueMs: msOf(creationTimestamp) + noticingMs }];
  }
  return (status.containerStatuses ?? []).flatMap(({ state }) =>
    ['ErrImagePull', 'ImagePullBackOff'].includes(state?.waiting?.reason ?? '')
      ? [{ reason: 'ImagePullBackOff', mentions, dueMs: msOf(status.startTime) }]
      : [],
  );
}

/** The words about its Pods in the message of a failure. Empty if none is left. */
export function failureMentionsOf(job: KubeObject, pods: readonly KubeObject[]): readonly string[] {
  const ends = podsOf(pods, job).flatMap((pod) => {
    const ended = statusOf(pod).containerStatuses?.[0]?.state?.terminated;
    return ended === undefined ? [] : [{ pod: pod.metadata.name, ...ended }];
  });
  const last = ends
    .toSorted((left, right) => msOf(left.finishedAt) - msOf(right.finishedAt))
    .at(-1);
  if (last === undefined) return [];
  const { failed = 0 } = jobParts(job).status;
  const shown = failed > 1 ? last.pod : `job/${job.metadata.name}`;
  return [
    `container main exited ${last.exitCode}${last.exitCode === 137 ? ' (SIGKILL)' : ''}`,
    `kubectl -n ${job.metadata.namespace} logs ${shown}`,
    ...(failed > 1 ? [`the last of ${failed} failed Pods`] : []),
  ];
}

/** Whether its Pods must be read: it has failed, or it seems to run and is not fully ready. */
export function isInDoubt(job: KubeObject, isKnownToRun: boolean): boolean {
  if (conditionOf(job, 'Failed') !== undefined) return true;
  const { spec, status } = jobParts(job);
  const isSettled = (status.conditions ?? []).some((condition) => condition.status === 'True');
  const { active = 0, ready = 0 } = status;
  return (
    isKnownToRun &&
    !isSettled &&
    spec.suspend !== true &&
    job.metadata.deletionTimestamp === undefined &&
    (active === 0 || ready < active)
  );
}

function podsOf(
  pods: readonly KubeObject[],
  { metadata: { uid } }: KubeObject,
): readonly KubeObject[] {
  return pods.filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid);
}

function described(kind: string, { metadata }: KubeObject): string {
  return `kubectl -n ${metadata.namespace} describe ${kind} ${metadata.name}`;
}

function statusOf({ status }: KubeObject): PodStatus {
  return status ?? {};
}
