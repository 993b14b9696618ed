/** What holds an object, as a policy or Kueue's integration says in a note on it. */
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

/** Why a flow is suspended. */
export function suspensionReason(metadata: Pick<ObjectMeta, 'annotations'>): string {
  if (isHeldByPolicy(metadata)) return 'HeldByPolicy';
  const isQueued = metadata.annotations?.[annotations.queued] !== undefined;
  return isQueued ? 'Queued' : 'FlowSuspended';
}
