/** Finds the parents that still need work, from the views alone. */
import type { KubeObject } from '#shared/domain/objects.ts';
import { pendingRetry } from './manual-retry.ts';
import type { Parent } from './parent.ts';
import { parentTtlDueMs } from './parent-ttl.ts';

type Stored = Partial<Pick<Parent, 'spec' | 'status'>>;

/** Succeeded or failed: at most cleaning up is left. */
export function hasEnded(parent: KubeObject): boolean {
  const state = (parent as Stored).status?.state;
  return state === 'Succeed' || state === 'Failed';
}

/** It has not ended, is being deleted, or was edited or asked to retry since its last status. */
export function isUnderway(parent: KubeObject): boolean {
  const { metadata } = parent;
  const { status } = parent as Stored;
  if (!hasEnded(parent) || metadata.deletionTimestamp !== undefined) return true;
  if (status?.observedGeneration !== metadata.generation) return true;
  return pendingRetry(metadata, status) !== undefined;
}

/** Its TTL has passed. */
export function hasOutlived(parent: KubeObject, nowMs: number): boolean {
  const { spec = {}, status = {} } = parent as Stored;
  const dueMs = parentTtlDueMs(spec, status);
  return dueMs !== undefined && dueMs <= nowMs;
}
