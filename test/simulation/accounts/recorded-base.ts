/**
 * Which record the next one of an object has to stand on, told from the answers of the journal: the
 * rules of decision-recorder.ts and decision-memory.ts once more, from the outside.
 */
import type { Appended } from '#shared/journal/journal.ts';

interface History {
  readonly position: string;
  /** The record that stands for itself, and the oldest entry of the journal at that time. */
  readonly whole: { readonly position: string; readonly bytes: number; readonly oldest: string };
  /** Of the records since. */
  readonly bytes: number;
}

export class RecordedBases {
  readonly #histories = new Map<string, History>();
  #oldest: string | undefined;

  /** Returns the position of its base, and what is to be called when the journal has taken it. */
  begins(uid: string): { base: string | undefined; taken: (appended: Appended) => void } {
    const known = this.#histories.get(uid);
    this.#histories.delete(uid);
    const base = known === undefined || this.#isWornOut(known) ? undefined : known;
    return {
      base: base?.position,
      taken: ({ position, oldest, bytes }) => {
        this.#oldest = oldest;
        if (position === undefined) return;
        const whole = base?.whole ?? { position, bytes, oldest: oldest ?? position };
        const since = base === undefined ? 0 : base.bytes + bytes;
        this.#histories.set(uid, { position, whole, bytes: since });
      },
    };
  }

  /** It costs as much as it would whole, or its beginning has left the journal or soon will. */
  #isWornOut({ whole, bytes }: History): boolean {
    const oldest = this.#oldest;
    if (bytes >= whole.bytes || oldest === undefined) return true;
    if (oldest > whole.position || oldest < whole.oldest) return true;
    const middleMs = (msOf(whole.oldest) + msOf(whole.position)) / 2;
    return msOf(oldest) > middleMs;
  }
}

function msOf(position: string): number {
  return Number(position.slice(0, position.indexOf('-')));
}
