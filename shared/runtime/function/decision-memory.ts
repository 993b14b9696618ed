/** A process's memory of its own records, so that the next ones contain only what changed. */
import type { Json } from '#shared/domain/objects.ts';
import { parsePosition } from '#shared/journal/position.ts';
import type { LatestOperations } from '#shared/journal/stored-plan.ts';

/** The last record of one object, and the whole record that its history began with. */
export interface RememberedDecision {
  readonly position: string;
  readonly snapshot: Json;
  readonly latest: LatestOperations;
  /** The record that stands alone. */
  readonly whole: {
    readonly position: string;
    readonly bytes: number;
    /** Position of the oldest entry of the journal at that time. */
    readonly oldest: string;
  };
  /** Total of all records since then. */
  readonly bytesSince: number;
}

/**
 * Bytes of records whose histories are kept. The objects are mostly shared with the views, so this
 * bounds how many old states are held. A dropped history begins again with a whole record.
 */
export const rememberedBytes = 16 * 1024 * 1024;

export class DecisionMemory {
  readonly #decisions = new Map<string, RememberedDecision>();
  #bytes = 0;

  /** Removes the entry, because two records must never stand on the same one. */
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
 * Whether the next record has to stand alone. This is so once the differences add up to the size of the
 * last whole record, so that a history costs at most twice its changes. It is also so if the journal
 * has dropped the whole record, or half of the entries before it, and so will drop it soon.
 */
export function isWornOut(
  { whole, bytesSince }: RememberedDecision,
  oldest: string | undefined,
): boolean {
  if (bytesSince >= whole.bytes) return true;
  // An older first entry means another journal: the store lost its data, and its clock was set back.
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
