/** A block of lines that is drawn anew in its place; what is printed goes above it. */
interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';
/** To the end of the line: erasing below from the first row would push the screen into the scrollback. */
const clearLine = '\u001B[K';

export class Screen {
  readonly #terminal: Terminal;
  #drawn = 0;
  #hidden = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get columns(): number {
    return columnsOf(this.#terminal);
  }

  /** Lines that fit without scrolling, which a redraw in place could not undo. */
  get rows(): number {
    return sizeOr(24, this.#terminal.rows) - 1;
  }

  draw(lines: readonly string[]): void {
    const surplus = Math.max(0, this.#drawn - lines.length);
    const text = [...lines, ...Array<string>(surplus).fill('')]
      .map((line) => `${line}${clearLine}\n`)
      .join('');
    const back = surplus === 0 ? '' : up(surplus);
    this.#terminal.write(`${this.#hidden ? '' : hideCursor}${up(this.#drawn)}${text}${back}`);
    this.#hidden = true;
    this.#drawn = lines.length;
  }

  /** Leaves the block where it is and gives the cursor back; also after an interrupt. */
  release(): void {
    if (this.#hidden) this.#terminal.write(showCursor);
    this.#hidden = false;
    this.#drawn = 0;
  }
}

function up(lines: number): string {
  return lines === 0 ? '' : `\u001B[${lines}F`;
}

/** Of a terminal; 80 for what is none. */
export function columnsOf({ columns }: Pick<Terminal, 'columns'>): number {
  return sizeOr(80, columns);
}

/** A terminal that does not know its size, as of a recorder or `docker exec -t`, tells 0. */
function sizeOr(usual: number, told: number | undefined): number {
  return told === undefined || told === 0 ? usual : told;
}
