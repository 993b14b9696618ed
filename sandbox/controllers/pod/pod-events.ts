/** Events of a kubelet about containers, derived from the difference between two statuses. */
import type { RecordEvent } from '../events/event-recorder.ts';
import type { ContainerStatus, Pod } from '../objects/pod.ts';

export function tellContainers(before: Pod, after: Pod, record: RecordEvent): void {
  const known = new Map(statuses(before).map((status) => [status.name, status]));
  for (const status of statuses(after)) {
    const event = changeOf(known.get(status.name), status);
    if (event !== undefined) record(after, event);
  }
  const { reason, message = '' } = after.status ?? {};
  if (reason !== undefined && reason !== before.status?.reason) {
    record(after, { type: 'Warning', reason, message });
  }
}

function statuses({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function changeOf(
  before: ContainerStatus | undefined,
  { name, image, state, restartCount }: ContainerStatus,
) {
  const isNewRun = before?.state.running === undefined || before.restartCount !== restartCount;
  if (state.running !== undefined && isNewRun) {
    return { type: 'Normal', reason: 'Started', message: `Container started: ${name}` } as const;
  }
  const { waiting } = state;
  if (waiting === undefined || waiting.reason === before?.state.waiting?.reason) return undefined;
  if (waiting.reason === 'CrashLoopBackOff') {
    const message = `Back-off restarting failed container ${name}`;
    return { type: 'Warning', reason: 'BackOff', message } as const;
  }
  if (waiting.message === undefined) return undefined;
  const message =
    waiting.reason === 'ErrImagePull' ? `Failed to pull image "${image}"` : waiting.message;
  return { type: 'Warning', reason: 'Failed', message } as const;
}
