/**
 * Merges lists of a Pod by key. Keys are compared by their meaning in Kubernetes: two spellings of one path
 * are one key.
 */
import type { EnvVar } from '#shared/api/pod-template.ts';

/** `first`, then the items of `second` whose keys are not in `first`. */
export function merged<Item>(
  first: readonly Item[] | undefined,
  second: readonly Item[] | undefined,
  keyOf: (item: Item) => string,
): readonly Item[] {
  const keys = new Set((first ?? []).map(keyOf));
  return [...(first ?? []), ...(second ?? []).filter((item) => !keys.has(keyOf(item)))];
}

/** A kubelet treats a relative path as one below the root. A JobTemplate may contain anything here. */
export function pathOf({ mountPath }: { readonly mountPath?: unknown }): string {
  const segments: string[] = [];
  for (const segment of String(mountPath).split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/**
 * The global variables, then the container's own. `$(NAME)` is expanded only from earlier entries. So an
 * overriding variable takes the position of the global one, and later global variables refer to it. If no
 * global variable follows, the container's order is kept.
 */
export function mergedEnv(
  own: readonly EnvVar[] | undefined,
  global: readonly EnvVar[],
): readonly EnvVar[] {
  const ownByName = Map.groupBy(own ?? [], ({ name }) => name);
  const followed = global.findLastIndex(({ name }) => !ownByName.has(name)) + 1;
  const first = global
    .slice(0, followed)
    .flatMap((variable) => ownByName.get(variable.name) ?? [variable]);
  const placed = new Set(first);
  return [...first, ...(own ?? []).filter((variable) => !placed.has(variable))];
}
