/** A queue that is filled synchronously and read asynchronously, in order, until it is closed. */
export class LineQueue<Line> implements AsyncIterable<Line> {
  #lines: Line[] = [];
  #isClosed = false;
  #wake: (() => void) | undefined;

  push(line: Line): void {
    if (this.#isClosed) return;
    this.#lines.push(line);
    this.#wake?.();
  }

  /** Ends reading at once and drops unread lines. */
  close(): void {
    this.#isClosed = true;
    this.#lines = [];
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Line, void> {
    for (;;) {
      const lines = this.#lines;
      this.#lines = [];
      for (const line of lines) {
        if (this.#isClosed) return;
        yield line;
      }
      if (this.#isClosed) return;
      if (this.#lines.length > 0) continue;
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
  }
}
