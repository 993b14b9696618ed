/** The Jobs of a parent, as the API server or a view has them. */
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { isControlledBy, objectName, type ObjectMeta } from '#shared/domain/objects.ts';
import { asObservedJob, type ObservedJob } from '#shared/domain/observed-job.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from './reader.ts';

/** `now`: as the API server has them, those that the field selector selects. */
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
 * A started Job that the list lacks is asked for by its name before it is taken for deleted: a view may
 * be behind, and somebody may have taken its labels away. A Job of another owner is not ours.
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

/** Lists come in no particular order, and the same cluster should give the same record. */
export function sortedByName(jobs: readonly ObservedJob[]): readonly ObservedJob[] {
  return [...jobs].sort((left, right) => compareTexts(left.name, right.name));
}
