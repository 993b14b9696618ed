/**
 * The order in which a Job deletes surplus Pods (pkg/controller/controller_utils.go, ActivePods).
 */
import { parseTime } from '#shared/domain/time.ts';
import { isReady, type Pod, podCondition } from '../objects/pod.ts';

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * The first Pods are deleted first: unscheduled, pending, not ready, newly ready, newly created.
 */
export function lessWorthy(left: Pod, right: Pod): number {
  return (
    number(isScheduled(left)) - number(isScheduled(right)) ||
    phaseRank(left) - phaseRank(right) ||
    number(isReady(left)) - number(isReady(right)) ||
    readySince(right) - readySince(left) ||
    restarts(right) - restarts(left) ||
    createdMs(right) - createdMs(left) ||
    (left.metadata.name < right.metadata.name ? -1 : 1)
  );
}

const number = (value: boolean): number => (value ? 1 : 0);
const isScheduled = ({ spec }: Pod): boolean => (spec.nodeName ?? '') !== '';
const phaseRank = ({ status }: Pod): number => phaseOrder[status?.phase ?? 'Pending'] ?? 0;
const createdMs = ({ metadata }: Pod): number => parseTime(metadata.creationTimestamp) ?? 0;

function readySince(pod: Pod): number {
  return isReady(pod) ? (parseTime(podCondition(pod, 'Ready')?.lastTransitionTime) ?? 0) : 0;
}

function restarts({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}
