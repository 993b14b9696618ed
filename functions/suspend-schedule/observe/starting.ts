/** Objects that the policy has resumed, but whose view still shows the time before. */
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { asResourceVersion } from '#shared/domain/objects.ts';
import { isKnownBy } from '#shared/domain/resource-version.ts';
import type { GovernedObject } from '#shared/suspension/governed-object.ts';
import { nameOf } from '../name-of.ts';
import type { HeldByWorkload } from '../snapshot.ts';

/** If versions cannot be compared, no object counts as starting. */
export function startingFor({
  status,
}: Pick<SuspendPolicy, 'status'>): (object: GovernedObject & HeldByWorkload) => boolean {
  const { lastResumed = [] } = status ?? {};
  if (lastResumed.length === 0) return () => false;
  const before = new Map(lastResumed.map((each) => [each.object, each.resourceVersion]));
  return (object) => {
    const isSeenBefore = object.suspend && object.workload === undefined;
    const version = isSeenBefore ? before.get(nameOf(object)) : undefined;
    return version !== undefined && isKnownBy(object.resourceVersion, asResourceVersion(version));
  };
}
