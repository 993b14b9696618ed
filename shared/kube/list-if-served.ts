import { hasCode } from '#shared/domain/errors.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import type { Reader } from './reader.ts';

/** Empty if the API server does not serve the resource, because its operator is not installed. */
export async function listIfServed(
  reader: Reader,
  resource: Resource,
  asOf?: 'now',
): Promise<readonly KubeObject[]> {
  try {
    return await reader.list(resource, asOf);
  } catch (error) {
    if (hasCode(error, 'MR_API_NOT_FOUND')) return [];
    throw error;
  }
}
