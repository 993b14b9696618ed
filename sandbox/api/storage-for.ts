import type { Resource } from '#shared/domain/objects.ts';
import type { Storage } from '../registry/type-registry.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import type { World } from './world.ts';

/**
 * Throws StatusError 404 for a type that is no longer served, for example after its definition was
 * deleted.
 */
export function storageFor({ types }: Pick<World, 'types'>, type: Resource): Storage {
  const storage = types.storageOf(type);
  if (storage !== undefined) return storage;
  throw new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}
