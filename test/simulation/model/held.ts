/** Reads from a note of a policy or of Kueue's integration what holds an object. */
import type { HeldNote } from '#shared/domain/held-note.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';

export function isHeldByPolicy(metadata: Pick<ObjectMeta, 'annotations'>): boolean {
  const { policy, reason } = noteOf(metadata);
  return policy !== undefined && reason !== undefined;
}

function noteOf({ annotations: own = {} }: Pick<ObjectMeta, 'annotations'>) {
  return JSON.parse(own[annotations.held] ?? '{}') as Partial<HeldNote>;
}

/** The words of a message about the hold. Empty without a policy's note. */
export function holdWords(metadata: Pick<ObjectMeta, 'annotations'>): {
  readonly mentions?: readonly string[];
  readonly omits?: readonly string[];
} {
  if (!isHeldByPolicy(metadata)) return {};
  const { policy, reason, until } = noteOf(metadata);
  const mentions = [`${policy} (${reason})`];
  return until === undefined
    ? { mentions, omits: ['until'] }
    : { mentions: [...mentions, `until ${until}`] };
}

/** Why a flow is suspended. */
export function suspensionReason(metadata: Pick<ObjectMeta, 'annotations' | 'labels'>): string {
  if (isHeldByPolicy(metadata)) return 'HeldByPolicy';
  const isQueued =
    metadata.annotations?.[annotations.queued] !== undefined ||
    metadata.labels?.[queueLabel] !== undefined;
  return isQueued ? 'Queued' : 'FlowSuspended';
}
