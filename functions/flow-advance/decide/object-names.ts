/** Of the flow and of its children, as operations of a plan name them. */
import type { ObjectName } from '#shared/domain/objects.ts';
import type { ObservedJob } from '../snapshot.ts';
import type { Situation } from './situation.ts';

export function childName({ flow }: Situation, job: ObservedJob): ObjectName {
  return { namespace: flow.metadata.namespace ?? '', name: job.name };
}

export function flowName({ flow }: Situation): ObjectName {
  return { namespace: flow.metadata.namespace ?? '', name: flow.metadata.name };
}
