/** A block of lines that is redrawn in place. Other output goes above it. */
interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';
/** Clears line by line: clearing everything below the first row would move the screen into the scrollback. */
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

  /** Number of lines that fit without scrolling, which a redraw could not revert. */
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

  /** Leaves the block in place and shows the cursor again, even after an interrupt. */
  release(): void {
    if (this.#hidden) this.#terminal.write(showCursor);
    this.#hidden = false;
    this.#drawn = 0;
  }
}

function up(lines: number): string {
  return lines === 0 ? '' : `\u001B[${lines}F`;
}

/** Width of a terminal, else 80. */
export function columnsOf({ columns }: Pick<Terminal, 'columns'>): number {
  return sizeOr(80, columns);
}

/** A terminal of unknown size, such as that of a recorder or of `docker exec -t`, reports 0. */
function sizeOr(usual: number, reported: number | undefined): number {
  return reported === undefined || reported === 0 ? usual : reported;
}
