import { underEither } from '#shared/domain/under-either.ts';
import { untilAborted } from '#shared/domain/until-aborted.ts';

/** Does something for as long as this process leads, again with each time that it comes to lead. */
export class WhileLeading {
  #isLeading = false;
  /** Aborts when that changes. */
  #changed = new AbortController();

  lead(leading: boolean): void {
    if (leading === this.#isLeading) return;
    this.#isLeading = leading;
    const before = this.#changed;
    this.#changed = new AbortController();
    before.abort();
  }

  /** Until `stop` aborts. `work` has to end when its signal aborts. */
  async run(work: (signal: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const call = this.#isLeading ? work : untilAborted;
      await underEither([stop, this.#changed.signal], call);
    }
  }
}
