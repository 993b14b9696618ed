/**
 * Measures by own writes how far a watch is behind. A watch reports changes in the order of their
 * commits (KEP-5504: versions of one resource can be compared). Once it has passed the version of an own
 * write, it has reported everything committed before that request was sent.
 */
import type { ResourceVersion } from '#shared/domain/objects.ts';
import { isKnownBy } from '#shared/domain/resource-version.ts';

/** If a watch is silent, the oldest are dropped: later ones say more. */
const mostAwaited = 256;

export class WriteEchoes {
  #awaited: { readonly version: ResourceVersion; readonly sentAtMs: number }[] = [];
  #currentAsOfMs = -Infinity;

  get currentAsOfMs(): number {
    return this.#currentAsOfMs;
  }

  /** An own write was committed as `version`; the watch has passed `passed` so far. */
  await(version: ResourceVersion, sentAtMs: number, passed: ResourceVersion | undefined): void {
    if (passed !== undefined && isKnownBy(version, passed)) this.#note(sentAtMs);
    else {
      this.#awaited.push({ version, sentAtMs });
      if (this.#awaited.length > mostAwaited) this.#awaited.shift();
    }
  }

  /** The watch has reported everything up to this version. */
  heard(passed: ResourceVersion): void {
    if (this.#awaited.length === 0) return;
    const awaited = this.#awaited.filter(({ version, sentAtMs }) => {
      const isHeard = isKnownBy(version, passed);
      if (isHeard) this.#note(sentAtMs);
      return !isHeard;
    });
    this.#awaited = awaited;
  }

  /** Versions of another history cannot be compared. */
  clear(): void {
    this.#awaited = [];
    this.#currentAsOfMs = -Infinity;
  }

  #note(sentAtMs: number): void {
    this.#currentAsOfMs = Math.max(this.#currentAsOfMs, sentAtMs);
  }
}
