/** What a process remembers of its own records, so that the next ones tell only what changed. */
import type { Json } from '#shared/domain/objects.ts';
import { parsePosition } from '#shared/journal/position.ts';
import type { LatestOperations } from '#shared/journal/stored-plan.ts';

/** The last record of one object, and the one that its history began with. */
export interface RememberedDecision {
  readonly position: string;
  readonly snapshot: Json;
  readonly latest: LatestOperations;
  /** The record that stood for itself. */
  readonly whole: {
    readonly position: string;
    readonly bytes: number;
    /** Position of the oldest entry of the journal at that time. */
    readonly oldest: string;
  };
  /** Of all records since, together. */
  readonly bytesSince: number;
}

/**
 * Bytes of records that histories are remembered for. The objects themselves are mostly shared with the
 * views, so this bounds how many old states are held. Whose history gave way starts anew.
 */
export const rememberedBytes = 16 * 1024 * 1024;

export class DecisionMemory {
  readonly #decisions = new Map<string, RememberedDecision>();
  #bytes = 0;

  /** Gone from here afterwards: two records must never stand on one. */
  take(uid: string): RememberedDecision | undefined {
    const decision = this.#decisions.get(uid);
    if (decision === undefined) return undefined;
    this.#decisions.delete(uid);
    this.#bytes -= bytesOf(decision);
    return decision;
  }

  put(uid: string, decision: RememberedDecision): void {
    this.take(uid);
    this.#decisions.set(uid, decision);
    this.#bytes += bytesOf(decision);
    for (const oldest of this.#decisions.keys()) {
      if (this.#bytes <= rememberedBytes) break;
      this.take(oldest);
    }
  }
}

/**
 * Whether the next record has to stand for itself: the differences since the last one that does add up
 * to its size, so that a history costs at most twice its changes; or the journal has dropped it, or
 * half of what was older than it, so that soon it will.
 */
export function isWornOut(
  { whole, bytesSince }: RememberedDecision,
  oldest: string | undefined,
): boolean {
  if (bytesSince >= whole.bytes) return true;
  // Going back, it is another journal: the store lost its data, and its clock was set back.
  if (oldest === undefined || oldest > whole.position || oldest < whole.oldest) return true;
  const [from, to] = [msOf(whole.oldest), msOf(whole.position)];
  return msOf(oldest) > (from + to) / 2;
}

function bytesOf({ whole, bytesSince }: RememberedDecision): number {
  return whole.bytes + bytesSince;
}

function msOf(position: string): number {
  return parsePosition(position).ms;
}
