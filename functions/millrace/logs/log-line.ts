/** A line of a log with what it comes from in front, coloured by it. Pure. */
import type { Piece, Style } from '../terminal/line.ts';

/** Red is for failures. */
const palette: readonly Style[] = ['cyan', 'green', 'yellow', 'magenta', 'blue'];

/** Gives each source its colour, in the order in which they appear, and makes room for the longest name. */
export class LogPainter {
  readonly #styles = new Map<string, Style>();
  #width = 0;

  /** `part`: the step or node, which has the colour; `source`: what is written, such as `load` or `load-r1`. */
  line(part: string, source: string, text: string): readonly Piece[] {
    if (source === '') return [text];
    const style = this.#styles.get(part) ?? palette[this.#styles.size % palette.length] ?? 'plain';
    this.#styles.set(part, style);
    this.#width = Math.max(this.#width, source.length);
    return [[`${source.padEnd(this.#width)} | `, style], text];
  }
}
