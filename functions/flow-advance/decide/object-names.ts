/** Of the flow and of its children, as operations of a plan name them. */
import { objectName, type ObjectName } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { Situation } from './situation.ts';

export function childName({ flow }: Situation, job: ObservedJob): ObjectName {
  return { ...objectName(flow.metadata), name: job.name };
}

export function flowName({ flow }: Situation): ObjectName {
  return objectName(flow.metadata);
}
