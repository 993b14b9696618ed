/** Shows a flow while it runs: a tree that is redrawn in place, or a line for each change. */
import type { Appearance } from '../terminal/appearance.ts';
import { type Piece, renderLine } from '../terminal/line.ts';
import { Screen } from '../terminal/screen.ts';
import { drawTree } from './draw-tree.ts';
import type { FlowPicture } from './flow-picture.ts';
import { narrate } from './narrate.ts';

export interface Presenter {
  show(flow: FlowPicture): void;
  /** Prints a line below the tree or the earlier lines. */
  remark(pieces: readonly Piece[]): void;
  /** Keeps what is shown and restores the terminal. May be called again. */
  end(): void;
}

export interface PresenterOptions {
  readonly output: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  readonly appearance: Appearance;
  readonly nowMs: () => number;
  /** Shows the event that started each step. */
  readonly events?: boolean;
}

const redrawEveryMs = 100;

export function createPresenter(options: PresenterOptions): Presenter {
  return options.appearance.live ? livePresenter(options) : plainPresenter(options);
}

function livePresenter({ output, appearance, nowMs, events = false }: PresenterOptions): Presenter {
  const screen = new Screen(output);
  const remarks: (readonly Piece[])[] = [];
  let flow: FlowPicture | undefined;
  let hasEnded = false;
  const draw = (): void => {
    if (flow === undefined) return;
    const { columns, rows } = screen;
    const wanted = flow.steps.length + 1;
    const room = Math.max(0, rows - wanted);
    const below = remarks.slice(-room, room === 0 ? 0 : undefined);
    const tree = drawTree(flow, nowMs(), appearance, {
      ...{ columns, events },
      rows: rows - below.length,
    });
    screen.draw([...tree, ...below.map((pieces) => renderLine(pieces, appearance, columns))]);
  };
  const timer = setInterval(draw, redrawEveryMs);
  return {
    show: (picture) => {
      flow = picture;
      draw();
    },
    remark: (pieces) => {
      remarks.push(pieces);
      draw();
    },
    end: () => {
      if (hasEnded) return;
      hasEnded = true;
      clearInterval(timer);
      draw();
      screen.release();
    },
  };
}

function plainPresenter({
  output,
  appearance,
  nowMs,
  events = false,
}: PresenterOptions): Presenter {
  let before: FlowPicture | undefined;
  const print = (pieces: readonly Piece[]) => output.write(`${renderLine(pieces, appearance)}\n`);
  return {
    show: (picture) => {
      const options = { utf8: appearance.utf8, events };
      narrate(before, picture, nowMs(), options).forEach(print);
      before = picture;
    },
    remark: print,
    end: () => undefined,
  };
}
