/**
 * Measures by own writes how far the bridge's views of a root are behind. The bridge stores changes of one
 * resource in the order of their commits, and those of one root at once. So a view that shows an own write
 * shows everything committed before that write was sent (write-echoes.ts does the same for a watch).
 *
 * own-echo-1 An own write counts only in the life of the root in which it was written, because its version compares
 *    only there.
 * own-echo-2 One resource says nothing about another.
 */
import type { ResourceVersion, Uid } from '#shared/domain/objects.ts';
import { isKnownBy } from '#shared/domain/resource-version.ts';
import type { MirroredRoot } from './mirror.ts';

export interface OwnWrite {
  /** Its resource key. */
  readonly resource: string;
  readonly entryKey: string;
  readonly version: ResourceVersion;
  /** Monotonic milliseconds. */
  readonly sentAtMs: number;
  /** The life of the root that this process knew. */
  readonly generation: string;
}

/** Longer than any result is trusted, in milliseconds. */
const keptMs = 5_000;
/** Latest writes kept for one root. */
const mostKept = 256;

export class OwnEchoes {
  /** In the order of their last write. */
  readonly #byRoot = new Map<Uid, OwnWrite[]>();

  await(root: Uid, write: OwnWrite): void {
    this.#forgetOld(write.sentAtMs);
    const writes = this.#byRoot.get(root) ?? [];
    this.#byRoot.delete(root);
    this.#byRoot.set(root, writes);
    writes.push(write);
    if (writes.length > mostKept) writes.shift();
  }

  /** The resource in `shown` includes everything committed until then. -Infinity: unknown. */
  currentAsOfMs(root: Uid, shown: MirroredRoot, resource: string): number {
    let asOfMs = -Infinity;
    for (const write of this.#byRoot.get(root) ?? []) {
      if (write.resource === resource && isShown(write, shown)) {
        asOfMs = Math.max(asOfMs, write.sentAtMs);
      }
    }
    return asOfMs;
  }

  #forgetOld(nowMs: number): void {
    for (const [root, writes] of this.#byRoot) {
      if (nowMs - (writes.at(-1)?.sentAtMs ?? -Infinity) <= keptMs) return;
      this.#byRoot.delete(root);
    }
  }
}

function isShown({ entryKey, version, generation }: OwnWrite, shown: MirroredRoot): boolean {
  if (generation !== shown.generation) return false;
  if (shown.gone.has(entryKey)) return true;
  const seen = shown.versions.get(entryKey);
  return seen !== undefined && isKnownBy(version, seen);
}
