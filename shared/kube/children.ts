/** The Jobs of a parent, from the API server or a view. */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { isControlledBy, objectName, type ObjectMeta } from '#shared/domain/objects.ts';
import { asObservedJob, type ObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from './reader.ts';

/** `now`: the current state of the API server, limited by the field selector. */
export async function listChildren(
  { uid, ...metadata }: ObjectMeta,
  reader: Reader,
  now?: { readonly fieldSelector: string },
): Promise<readonly ObservedJob[]> {
  const { namespace } = objectName(metadata);
  const listed = await reader.listByOwner(resources.Job, { namespace, uid }, now);
  return sortedByName(listed.map(asObservedJob));
}

/**
 * A started Job that the list lacks is looked up by its name before it counts as deleted. A view may be
 * behind, and a user may have removed its labels. A Job of another owner does not count.
 */
export async function childrenNamed(
  { uid, ...metadata }: ObjectMeta,
  names: readonly string[],
  reader: Reader,
): Promise<readonly ObservedJob[]> {
  const { namespace } = objectName(metadata);
  const objects = await Promise.all(
    names.map((name) => reader.get(resources.Job, { namespace, name }, uid)),
  );
  return objects
    .filter((object) => object !== undefined)
    .filter((object) => isControlledBy(object.metadata, uid))
    .map(asObservedJob);
}

/** Lists have no particular order, and the same cluster should give the same record. */
export function sortedByName(jobs: readonly ObservedJob[]): readonly ObservedJob[] {
  return [...jobs].sort((left, right) => compareTexts(left.name, right.name));
}
