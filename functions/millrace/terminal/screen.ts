/** A block of lines that is drawn anew in its place; what is printed goes above it. */
interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';
const clearBelow = '\u001B[0J';

export class Screen {
  readonly #terminal: Terminal;
  #drawn = 0;
  #hidden = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get columns(): number {
    return sizeOr(80, this.#terminal.columns);
  }

  /** Lines that fit without scrolling, which a redraw in place could not undo. */
  get rows(): number {
    return sizeOr(24, this.#terminal.rows) - 1;
  }

  draw(lines: readonly string[]): void {
    const text = lines.map((line) => `${line}\n`).join('');
    this.#terminal.write(`${this.#hidden ? '' : hideCursor}${this.#backToTop()}${text}`);
    this.#hidden = true;
    this.#drawn = lines.length;
  }

  /** Leaves the block where it is and gives the cursor back; also after an interrupt. */
  release(): void {
    if (this.#hidden) this.#terminal.write(showCursor);
    this.#hidden = false;
    this.#drawn = 0;
  }

  #backToTop(): string {
    return this.#drawn === 0 ? '' : `\u001B[${this.#drawn}F${clearBelow}`;
  }
}

/** A terminal that does not know its size, as of a recorder or `docker exec -t`, tells 0. */
function sizeOr(usual: number, told: number | undefined): number {
  return told === undefined || told === 0 ? usual : told;
}
