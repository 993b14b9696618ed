import type { ObservedComponent } from '../snapshot.ts';

/** The API server does not have it, or it is being deleted. */
export function isMissing({ object }: ObservedComponent): boolean {
  return object === undefined || object.isDeleting;
}
