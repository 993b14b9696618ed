/** The end of a log, kept to explain a later failure. */
import { Writable } from 'node:stream';

export class LogTail extends Writable {
  readonly #most: number;
  #lines: string[] = [];

  /** `most`: how many lines are kept. */
  constructor(most: number) {
    super({ decodeStrings: false });
    this.#most = most;
  }

  /** Oldest first. */
  linesWith(text: string): readonly string[] {
    return this.#lines.slice(-this.#most).filter((line) => line.includes(text));
  }

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    this.#lines.push(...String(chunk).trimEnd().split('\n'));
    if (this.#lines.length > 2 * this.#most) this.#lines = this.#lines.slice(-this.#most);
    done();
  }
}
