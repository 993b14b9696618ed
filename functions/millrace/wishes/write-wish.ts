import {
  type JsonObject,
  type KubeObject,
  objectName,
  type Resource,
} from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { WishOptions } from './wish-options.ts';

const fieldManager = 'millrace-cli';

/** Writes the requested change. Returns the object as the API server answered. */
export function writeWish(
  { client }: { readonly client: Pick<KubeClient, 'patch'> },
  resource: Resource,
  { metadata }: KubeObject,
  patch: JsonObject,
  { dryRun = false }: WishOptions,
): Promise<KubeObject> {
  const onWarning = (text: string): void => void process.stderr.write(`Warning: ${text}\n`);
  const options = { type: 'merge', fieldManager, dryRun, onWarning } as const;
  return client.patch(resource, objectName(metadata), patch, options);
}

export function dryRunNote({ dryRun = false }: WishOptions): string {
  return dryRun ? ' (dry run)' : '';
}
