/** Whether a policy says that it holds an object, in the note that it writes on it. */
import { annotations } from '#shared/domain/labels.ts';
import type { ObjectMeta } from '#shared/domain/objects.ts';

export function isHeldByPolicy({
  annotations: own = {},
}: Pick<ObjectMeta, 'annotations'>): boolean {
  const note = own[annotations.held];
  if (note === undefined) return false;
  const { policy, reason } = JSON.parse(note) as Readonly<Record<string, unknown>>;
  return policy !== undefined && reason !== undefined;
}
