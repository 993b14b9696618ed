import { labels } from './labels.ts';
import { asUid, type KubeObject, type Uid } from './objects.ts';

/** The uid in the owner label: of the object that this one, or what controls it, was made for. */
export function rootOf({ metadata }: KubeObject): Uid | undefined {
  const label = metadata.labels?.[labels.ownerUid];
  return label === undefined ? undefined : asUid(label);
}
