/** What holds an object, according to a note of a policy or of Kueue's integration. */
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
