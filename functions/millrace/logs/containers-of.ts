import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';

export interface LoggedContainer {
  readonly name: string;
  /** The container has run or runs, so there is a log. */
  readonly hasLog: boolean;
}

/** In the order in which they run, init containers first. */
export function containersOf({ spec, status }: KubeObject): readonly LoggedContainer[] {
  return [
    ...containers(fieldsOf(spec)['initContainers'], fieldsOf(status)['initContainerStatuses']),
    ...containers(fieldsOf(spec)['containers'], fieldsOf(status)['containerStatuses']),
  ];
}

function containers(declared: unknown, reported: unknown): readonly LoggedContainer[] {
  const reports = listOf(reported).map(fieldsOf);
  return listOf(declared).map((container) => {
    const name = textOf(fieldsOf(container)['name']);
    const { state, lastState } = fieldsOf(reports.find((report) => report['name'] === name));
    const seen = { ...fieldsOf(lastState), ...fieldsOf(state) };
    return { name, hasLog: 'running' in seen || 'terminated' in seen };
  });
}
