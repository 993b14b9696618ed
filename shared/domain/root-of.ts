import { labels } from './labels.ts';
import { asUid, controllerOf, type KubeObject, type Uid } from './objects.ts';

/** The uid in the owner label: of the object that this one, or what controls it, was made for. */
export function rootOf({ metadata }: Pick<KubeObject, 'metadata'>): Uid | undefined {
  const label = metadata.labels?.[labels.ownerUid];
  return label === undefined ? undefined : asUid(label);
}

/**
 * Whether what it was made for controls it, by label and owner reference alike: one of the two alone is on what
 * users have written themselves.
 */
export function isControlledByRoot(object: Pick<KubeObject, 'metadata'>): boolean {
  const root = rootOf(object);
  return root !== undefined && controllerOf(object.metadata)?.uid === root;
}
