/** The Jobs and Pods of an object. A kind of child is added by a line of the table. */
import { childState } from '#shared/domain/child-state.ts';
import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { asObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import type { LoggedKind } from '../logs/log-sources.ts';
import { jobStates } from './daemon-picture.ts';
import type { Listed } from './table.ts';

type State = Pick<Listed, 'state' | 'reason' | 'message'>;

export interface ChildKind {
  readonly resource: Resource;
  readonly stateOf: (child: KubeObject) => State;
}

export const childKinds: readonly ChildKind[] = [
  {
    resource: resources.Job,
    stateOf: (job) => {
      const { kind, ...rest } = childState(asObservedJob(job));
      return { state: jobStates[kind], ...rest };
    },
  },
  { resource: resources.Pod, stateOf: podState },
];

/** The step, node or component of its parent that a child belongs to. */
export function partOf(
  { partOf: ofPod }: Pick<LoggedKind, 'partOf'>,
  child: KubeObject,
  parent: KubeObject,
): string {
  return child.metadata.annotations?.[annotations.nodeName] ?? ofPod(child, parent);
}

/** The status that `kubectl get pods` shows: a container that cannot start matters more than the phase. */
function podState({ metadata, status }: KubeObject): State {
  const { phase, reason, message, containerStatuses, initContainerStatuses } = fieldsOf(status);
  const waiting = [...listOf(initContainerStatuses), ...listOf(containerStatuses)]
    .map((container) => fieldsOf(fieldsOf(fieldsOf(container)['state'])['waiting']))
    .find(
      ({ reason: why = '' }) => !['', 'ContainerCreating', 'PodInitializing'].includes(textOf(why)),
    );
  if (metadata.deletionTimestamp !== undefined) return { state: 'Terminating' };
  if (waiting === undefined) {
    return { state: textOf(phase) || 'Unknown', reason: textOf(reason), message: textOf(message) };
  }
  return { state: textOf(waiting['reason']), message: textOf(waiting['message']) };
}
