/** The objects of a file, each validated like in the API server. */
import { fieldsOf, isObject } from '#shared/domain/json-value.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { invalid, requireManifests, requireValid } from '../manifests/manifests.ts';
import { validatedKinds } from '../validated-kinds.ts';

/** At least one object. `-` is standard input. Throws CommandFailure. */
export async function assumedObjects(file: string): Promise<readonly NewObject[]> {
  const manifests = await requireManifests([file]);
  if (manifests.length === 0) {
    const message = `${file} holds no object`;
    throw new CommandFailure(exitCodes.invalidInput, message, 'name another file');
  }
  return manifests.map((manifest) => {
    const { kind, metadata } = fieldsOf(manifest.value);
    const known = validatedKinds.find(({ resource }) => resource.kind === kind);
    if (known !== undefined) return requireValid(manifest, known.validate);
    // Other kinds can be validated only by the API server.
    if (typeof kind === 'string' && isObject(metadata)) return manifest.value as never;
    throw invalid(manifest, 'it is no object of Kubernetes: kind or metadata is missing');
  });
}
