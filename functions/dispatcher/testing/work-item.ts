import { asEventId, asUid } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';

/** A work item for flow-advance about the JobFlow of this name. */
export function workItem(name: string, overrides: Partial<WorkItem> = {}): WorkItem {
  return {
    function: 'flow-advance',
    key: {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobFlow',
      namespace: 'default',
      name,
      uid: asUid(`u-${name}`),
    },
    cause: asEventId(`u-${name}.1`),
    ...overrides,
  };
}
