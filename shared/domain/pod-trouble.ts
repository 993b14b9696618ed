/**
 * Why a Pod does not run, in the words of the scheduler and the kubelet.
 *
 * These words change: a scheduler counts its nodes at every attempt, and a kubelet alternates
 * between ErrImagePull and ImagePullBackOff. So each problem has one reason and an essence that
 * stays the same while the problem lasts. Only a change of these is reported.
 */
import { fieldsOf, listOf, textOf } from './json-value.ts';
import { type ContainerReport, podReport, type PodReport } from './pod-status.ts';
import { listed } from './wording.ts';

export interface PodTrouble {
  /** One CamelCase word: Unschedulable, ImagePullBackOff, CreateContainerConfigError and so on. */
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. Absent: the status does not say. */
  readonly since?: string;
}

export const creating = 'ContainerCreating';
const passing: ReadonlySet<string> = new Set([creating, 'PodInitializing']);
/** No scheduler has written anything about the Pod, and no node has it. */
export const notScheduled = 'NotScheduled';
/** The Pod is bound to a node, and its kubelet has written nothing about it. */
export const notAccepted = 'NotAccepted';
/** Every Pod passes these states; they are problems only if they last. */
export const passedByEveryPod: ReadonlySet<string> = new Set([creating, notScheduled, notAccepted]);
const imagePull: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff']);

export interface SeenPod {
  readonly metadata: { readonly deletionTimestamp?: string; readonly creationTimestamp?: string };
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Undefined: the Pod runs, has ended, is being deleted, or no problem was reported. */
export function podTrouble(pod: SeenPod): PodTrouble | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined;
  const report = podReport(pod.status);
  if (report.phase === 'Succeeded' || report.phase === 'Failed') return undefined;
  if (isSilent(report)) return silence(pod);
  return schedulingTrouble(report) ?? containerTrouble(report) ?? lingeringTrouble(report);
}

/** Neither a scheduler nor a kubelet has reported anything about the Pod. */
export function isSilent({ phase, startTime, unscheduled, containers }: PodReport): boolean {
  const isAccepted = startTime !== undefined || containers.length > 0;
  return phase === 'Pending' && unscheduled === undefined && !isAccepted;
}

/** Views keep these fields of the spec, and the time of the creation, of a silent Pod only. */
export const fieldsOfSilence: ReadonlySet<string> = new Set([
  'nodeName',
  'schedulerName',
  'resourceClaims',
]);

function silence({ metadata, spec }: SeenPod): PodTrouble | undefined {
  const { creationTimestamp: since } = metadata;
  if (since === undefined) return undefined;
  const { nodeName, schedulerName, resourceClaims } = fieldsOf(spec);
  if (textOf(nodeName) !== '') {
    const message = `node ${textOf(nodeName)} has not started it yet: check that the node exists and is ready`;
    return { reason: notAccepted, message, since };
  }
  const scheduler = textOf(schedulerName);
  const claims = listOf(resourceClaims).flatMap((claim) => {
    const name = textOf(fieldsOf(claim)['resourceClaimName']);
    return name === '' ? [] : [name];
  });
  const hint =
    claims.length > 0
      ? `check that its ResourceClaims exist: ${listed(claims, 3)}`
      : `check that the scheduler "${scheduler}" (spec.schedulerName) runs`;
  return { reason: notScheduled, message: `no scheduler has considered it yet: ${hint}`, since };
}

/** The Pod cannot end before containers that may never end. */
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
  // While an init container runs, the later containers have to wait.
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
 * Distinguishes problems with the same reason: which claim, Secret or ConfigMap is missing. It
 * contains no counts of nodes, waits or container ids.
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

/**
 * A cause that concerns single nodes begins with their number. A cause that concerns the Pod has
 * none.
 */
function unschedulableCause(message: string): string {
  const [, cause = message] = /nodes are available: (.*?)(?:\. |$)/s.exec(message) ?? [];
  return /^\d/.test(cause) ? 'nodes' : cause;
}
