import type { ObservedComponent } from '../snapshot.ts';

/** The API server does not have it, or it is being deleted. Unknown: Millrace cannot read it. */
export function isMissing({ object, unreadable }: ObservedComponent): boolean {
  return unreadable === undefined && (object === undefined || object.isDeleting);
}
