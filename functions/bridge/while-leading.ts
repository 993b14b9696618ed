import { underEither } from '#shared/domain/under-either.ts';
import { untilAborted } from '#shared/domain/until-aborted.ts';

/** Runs work while this process leads, again each time it becomes leader. */
export class WhileLeading {
  #isLeading = false;
  /** Aborts when leadership changes. */
  #changed = new AbortController();

  lead(leading: boolean): void {
    if (leading === this.#isLeading) return;
    this.#isLeading = leading;
    const before = this.#changed;
    this.#changed = new AbortController();
    before.abort();
  }

  /** Runs until `stop` aborts. `work` has to end when its signal aborts. */
  async run(work: (signal: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const call = this.#isLeading ? work : untilAborted;
      await underEither([stop, this.#changed.signal], call);
    }
  }
}
