/** A line of a log, with its source in front and coloured by it. Pure. */
import type { Piece, Style } from '../terminal/line.ts';

/** Without red, which is for failures. */
const palette: readonly Style[] = ['cyan', 'green', 'yellow', 'magenta', 'blue'];

/** Gives each part a colour in order of appearance, and pads to the longest source. */
export class LogPainter {
  readonly #styles = new Map<string, Style>();
  #width = 0;

  /** `part`: the step or node, which decides the colour. `source`: the printed name, such as `load` or `load-r1`. */
  line(part: string, source: string, text: string): readonly Piece[] {
    if (source === '') return [text];
    const style = this.#styles.get(part) ?? palette[this.#styles.size % palette.length] ?? 'plain';
    this.#styles.set(part, style);
    this.#width = Math.max(this.#width, source.length);
    return [[`${source.padEnd(this.#width)} | `, style], text];
  }
}
