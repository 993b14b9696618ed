/**
 * Why a Pod that is to run does not, in the words of the scheduler and the kubelet.
 *
 * The words come and go: a scheduler counts its nodes anew at every attempt, a kubelet alternates
 * between ErrImagePull and ImagePullBackOff. So each problem has one reason and an essence, which
 * stays the same as long as the problem does; only a change of these is worth telling.
 */
import { type ContainerReport, podReport, type PodReport } from './pod-status.ts';

export interface PodTrouble {
  /** One CamelCase word: Unschedulable, ImagePullBackOff, CreateContainerConfigError and so on. */
  readonly reason: string;
  readonly message: string;
  /** Since when, RFC 3339; absent when the status does not tell. */
  readonly since?: string;
}

/** In the life of every Pod; a trouble only when it lasts. */
export const creating = 'ContainerCreating';
const passing: ReadonlySet<string> = new Set([creating, 'PodInitializing']);
const imagePull: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff']);

/** Undefined: it runs, has ended, is being deleted, or nobody has said anything against it. */
export function podTrouble(pod: {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly status?: unknown;
}): PodTrouble | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined;
  const report = podReport(pod.status);
  if (report.phase === 'Succeeded' || report.phase === 'Failed') return undefined;
  return schedulingTrouble(report) ?? containerTrouble(report) ?? lingeringTrouble(report);
}

/** The end of the Pod waits for containers that may never end. */
export const lingering = 'ContainersStillRunning';

function lingeringTrouble({ lingering: found }: PodReport): PodTrouble | undefined {
  if (found === undefined) return undefined;
  const { ended, running, since } = found;
  const still = running.join(', ');
  const message = `container ${ended.join(', ')} has ended and ${still} still runs: if ${still} is a sidecar, make it an init container with restartPolicy Always`;
  return { reason: lingering, message, since };
}

function schedulingTrouble({ unscheduled }: PodReport): PodTrouble | undefined {
  if (unscheduled === undefined) return undefined;
  const { reason, message = reason, lastTransitionTime: since } = unscheduled;
  return { reason, message, ...(since === undefined ? {} : { since }) };
}

function containerTrouble({ containers, startTime: since }: PodReport): PodTrouble | undefined {
  const waiting = containers.filter((container) => container.waiting !== undefined);
  const held = waiting.find((container) => !passing.has(container.waiting?.reason ?? ''));
  const time = since === undefined ? {} : { since };
  if (held !== undefined) return { ...waitOf(held), ...time };
  // Behind an init container that runs, the others have to wait.
  const first = waiting.find(({ isFirst }) => isFirst === true);
  if (first === undefined || since === undefined) return undefined;
  return { reason: creating, message: `container ${first.name} is not created`, ...time };
}

function waitOf({ name, image = '', waiting }: ContainerReport): PodTrouble {
  const { reason = '', message = '' } = waiting ?? {};
  const detail = message === '' ? '' : `: ${message}`;
  return imagePull.has(reason)
    ? {
        reason: 'ImagePullBackOff',
        message: `image "${image}" of container ${name} cannot be pulled${detail}`,
      }
    : { reason, message: `container ${name} is not started${detail}` };
}

/**
 * What tells one problem from another of the same reason: which claim, Secret or ConfigMap is
 * missing. Counts of nodes, waits and identifiers of containers are no part of it.
 */
export function essenceOf({ reason, message }: Pick<PodTrouble, 'reason' | 'message'>): string {
  switch (reason) {
    case 'Unschedulable':
      return unschedulableCause(message);
    case 'CreateContainerConfigError':
      return message;
    default:
      return '';
  }
}

/** Causes that concern single nodes come with their number; one that concerns the Pod has none. */
function unschedulableCause(message: string): string {
  const [, cause = message] = /nodes are available: (.*?)(?:\. |$)/s.exec(message) ?? [];
  return /^\d/.test(cause) ? 'nodes' : cause;
}
