import { type ObjectMeta, type Resource, resourceKey } from '#shared/domain/objects.ts';

interface Named {
  readonly metadata: Pick<ObjectMeta, 'name'>;
}

/** `jobflow.api.practice.com/hello`, as kubectl prints it. */
export function fullNameOf({ kind, group }: Resource, { metadata }: Named): string {
  return `${resourceKey({ plural: kind.toLowerCase(), group })}/${metadata.name}`;
}

/** `jobflow/hello`, as commands accept it. */
export function shortNameOf({ kind }: Resource, { metadata }: Named): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}
