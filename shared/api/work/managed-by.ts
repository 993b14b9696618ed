/** Who runs an object (`spec.managedBy`, as KEP-4368 has it for Jobs). Millrace runs none that names another controller. */
import type { JsonObject } from '#shared/domain/objects.ts';

/** Kueue runs the object on another cluster and copies its status back. */
export const multiKueue = 'kueue.x-k8s.io/multikueue';

/** For JobFlows it says what its absence says. */
export const flowController = 'millrace.dev/jobflow-controller';

/** The other controller that runs an object; undefined: none. */
export function otherController(
  { managedBy }: JsonObject,
  ownController: string | undefined,
): string | undefined {
  return typeof managedBy === 'string' && managedBy !== ownController ? managedBy : undefined;
}
