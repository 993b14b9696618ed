/**
 * How far what the bridge keeps of a root is behind, told by own writes: the bridge writes down the changes of
 * one resource in the order in which they were committed, those of one root at once, so that what shows an own
 * write shows all that was committed before that was sent (write-echoes.ts says the same of a watch).
 *
 * E1 Counts only in the life of the root in which it was written, whose versions it can be compared with.
 * E2 One resource tells nothing of another.
 */
import type { ResourceVersion, Uid } from '#shared/domain/objects.ts';
import { isKnownBy } from '#shared/domain/resource-version.ts';
import type { MirroredRoot } from './mirror.ts';

export interface OwnWrite {
  /** By its key. */
  readonly resource: string;
  readonly entryKey: string;
  readonly version: ResourceVersion;
  /** Monotonic milliseconds. */
  readonly sentAtMs: number;
  /** The life of the root that this process knew. */
  readonly generation: string;
}

/** Longer than anybody believes what one shows, milliseconds. */
const keptMs = 5_000;
/** Of one root the latest. */
const mostKept = 256;

export class OwnEchoes {
  /** In the order in which they were last written to. */
  readonly #byRoot = new Map<Uid, OwnWrite[]>();

  await(root: Uid, write: OwnWrite): void {
    this.#forgetOld(write.sentAtMs);
    const writes = this.#byRoot.get(root) ?? [];
    this.#byRoot.delete(root);
    this.#byRoot.set(root, writes);
    writes.push(write);
    if (writes.length > mostKept) writes.shift();
  }

  /** What `shown` gives of the resource holds all that was committed until then; -Infinity: nobody knows. */
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
