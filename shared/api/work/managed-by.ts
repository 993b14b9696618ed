/**
 * The controller that runs an object (`spec.managedBy`, as in KEP-4368 for Jobs). Millrace runs no object that names
 * another controller.
 */
import type { JsonObject } from '#shared/domain/objects.ts';

/** Kueue runs the object in another cluster and copies its status back. */
export const multiKueue = 'kueue.x-k8s.io/multikueue';

/** For JobFlows it means the same as an absent field. */
export const flowController = 'millrace.dev/jobflow-controller';

/** The other controller that runs an object. Undefined: none. */
export function otherController(
  { managedBy }: JsonObject,
  ownController: string | undefined,
): string | undefined {
  return typeof managedBy === 'string' && managedBy !== ownController ? managedBy : undefined;
}
