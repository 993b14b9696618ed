import { labels } from './labels.ts';
import { asUid, controllerOf, type KubeObject, type Uid } from './objects.ts';

/** The uid in the owner label: the object that this one, or its controller, was created for. */
export function rootOf({ metadata }: Pick<KubeObject, 'metadata'>): Uid | undefined {
  const label = metadata.labels?.[labels.ownerUid];
  return label === undefined ? undefined : asUid(label);
}

/** Whether label and owner reference name the same controller. A user may have written one of them alone. */
export function isControlledByRoot(object: Pick<KubeObject, 'metadata'>): boolean {
  const root = rootOf(object);
  return root !== undefined && controllerOf(object.metadata)?.uid === root;
}
