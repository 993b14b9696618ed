import type { MonotonicClock } from '#shared/domain/clock.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { isObject } from '#shared/domain/json-value.ts';
import { controllerOf, type ObjectName, type Resource } from '#shared/domain/objects.ts';
import type { KubeClient } from './client.ts';
import { isTaken } from './is-taken.ts';
import type { WriteView } from './object-view.ts';
import type { Views } from './view-reader.ts';

/**
 * A client whose answers go into the views, so that a process reads its own writes before the watch reports them. A
 * read that is newer than the view (a write whose answer was lost) also goes in, so that later passes need not repeat
 * it. So does an existing object that was to be created, mostly by another replica, once a read shows the same
 * controller. Dry runs and lists leave the views alone. A version that the request itself committed shows how far the
 * watch has come. That holds for a create, and for a patch whose answer has another version than the patch names.
 */
export function writeThrough(
  client: KubeClient,
  views: Views<WriteView>,
  clock: MonotonicClock,
): KubeClient {
  /** The wanted controllers of objects whose names were taken. */
  const taken = new Map<string, string>();
  return {
    get: async (resource, name, ...args) => {
      const found = await client.get(resource, name, ...args);
      const key = keyOf(resource, name);
      const wanted = taken.get(key);
      taken.delete(key);
      if (found === undefined) return found;
      const isAdopted = wanted !== undefined && controllerOf(found.metadata)?.uid === wanted;
      if (isAdopted) await views.of(resource)?.write(found);
      else views.of(resource)?.refresh(found);
      return found;
    },
    list: (...args) => client.list(...args),
    watch: (...args) => client.watch(...args),
    create: async (resource, object, options) => {
      const sentAtMs = clock.monotonicMs();
      const created = await client.create(resource, object, options).catch((error: unknown) => {
        const controller = controllerOf(object.metadata)?.uid;
        if (controller !== undefined && isTaken(error)) {
          taken.set(keyOf(resource, object.metadata), controller);
        }
        throw error;
      });
      if (options?.dryRun !== true) await views.of(resource)?.write(created, sentAtMs);
      return created;
    },
    discover: (...args) => client.discover(...args),
    review: (...args) => client.review(...args),
    patch: async (resource, name, patch, options) => {
      const sentAtMs = clock.monotonicMs();
      const patched = await client.patch(resource, name, patch, options);
      if (options.dryRun === true) return patched;
      const hasChanged = isFrom(patch, patched.metadata.resourceVersion);
      await views.of(resource)?.write(patched, hasChanged ? sentAtMs : undefined);
      return patched;
    },
    delete: async (resource, name, options) => {
      const forget = (): void =>
        views.of(resource)?.forget(name.namespace, name.name, options?.uid);
      try {
        const left = await client.delete(resource, name, options);
        if (left === undefined) forget();
        else await views.of(resource)?.write(left);
        return left;
      } catch (error) {
        if (hasCode(error, 'MR_API_NOT_FOUND')) forget();
        throw error;
      }
    },
  };
}

function keyOf({ group, plural }: Resource, { namespace = '', name }: Partial<ObjectName>): string {
  return `${group}/${plural} ${namespace}/${name}`;
}

/** Without a version in the patch, another writer may have written the returned version long before. */
function isFrom(patch: unknown, version: string): boolean {
  if (!isObject(patch) || !isObject(patch['metadata'])) return false;
  const known = patch['metadata']['resourceVersion'];
  return typeof known === 'string' && known !== version;
}
