import type { Appearance } from '../terminal/appearance.ts';
import { type Piece, renderLine } from '../terminal/line.ts';
import type { FlowPicture, StepPicture } from './flow-picture.ts';
import { splitCommand } from './split-command.ts';
import { treeOf, type TreeStep } from './step-tree.ts';
import {
  causeText,
  durationOf,
  eventText,
  glyphOf,
  progressOf,
  remarkOf,
  secondsText,
  stateWidth,
  styleOf,
} from './words.ts';

export interface Frame {
  readonly columns: number;
  /** Limit for the drawn lines. */
  readonly rows: number;
  /** Shows the Job of each step. */
  readonly wide?: boolean;
  /** Shows the event that started each step. */
  readonly events?: boolean;
  /** If a line is too long, the command in its message gets a line of its own, uncut. */
  readonly wholeCommands?: boolean;
}

/** For a flow with more steps, only active steps are shown, with the number of the others. */
export const summaryRows = 52;

/** Draws the flow as a tree: one line for it and one for each step. Pure. */
export function drawTree(
  flow: FlowPicture,
  nowMs: number,
  appearance: Appearance,
  { columns, rows, wide = false, events = false, wholeCommands = false }: Frame,
): readonly string[] {
  const tree = treeOf(flow.steps);
  const shown = tree.length < rows ? tree : mostInteresting(tree, rows - 2);
  const labels = shown.map(({ branches }) => limbs(branches, appearance.utf8));
  const width = Math.max(
    ...shown.map(({ step }, index) => (labels[index]?.length ?? 0) + step.name.length),
  );
  const lines = shown.flatMap(({ step, branches }, index): readonly string[] => {
    const limb = labels[index] ?? '';
    const why = remarkOf(step) || causeText(step, appearance.utf8);
    const isCaused = events && step.cause !== undefined && remarkOf(step) === '';
    const event = isCaused ? `  ${eventText(step)}` : '';
    const start: readonly Piece[] = [
      [limb, 'dim'],
      glyphOf(step.state, appearance.utf8),
      ` ${step.name.padEnd(width - limb.length)}  `,
      [step.state.padEnd(stateWidth), styleOf(step.state)],
      ` ${durationOf(step, nowMs).padStart(7)}  `,
    ];
    const job = wide && step.jobName !== undefined ? `  job/${step.jobName}` : '';
    const pieces = [...start, why, job];
    const { words, command } = splitCommand(why);
    if (wholeCommands && command !== undefined && widthOf(pieces) > columns) {
      const below = [[trunks(branches, appearance.utf8), 'dim'] as const, `  ${command}`];
      return [renderLine([...start, words], appearance, columns), renderLine(below, appearance)];
    }
    // A part of an id is useless, so it is left out if it does not fit.
    const fits = widthOf(pieces) + event.length <= columns;
    return [renderLine(fits ? [...pieces, [event, 'dim']] : pieces, appearance, columns)];
  });
  const drawn = new Set(shown.map(({ step }) => step));
  const hidden = flow.steps.filter((step) => !drawn.has(step));
  const rest: Piece[][] = hidden.length === 0 ? [] : [[[`  and ${summaryOf(hidden)}`, 'dim']]];
  const [head = '', ...summary] = [headOf(flow, nowMs, appearance.utf8), ...rest].map((pieces) =>
    renderLine(pieces, appearance, columns),
  );
  return [head, ...lines, ...summary];
}

/** For example `59 more steps: 40 Succeed, 19 Waiting`. */
function summaryOf(steps: readonly StepPicture[]): string {
  const states = Object.entries(Object.groupBy(steps, ({ state }) => state));
  const counts = states.map(([state, each]) => `${each.length} ${state}`);
  return `${steps.length} more ${steps.length === 1 ? 'step' : 'steps'}: ${counts.join(', ')}`;
}

/** Draws only the steps, before anything has happened. Pure. */
export function drawPlan(
  name: string,
  steps: readonly StepPicture[],
  appearance: Appearance,
): readonly string[] {
  const lines = treeOf(steps).map(({ step, branches }): Piece[] => {
    const others = step.dependencies.length > 1 ? remarkOf(step) : '';
    return [
      [limbs(branches, appearance.utf8), 'dim'],
      step.name,
      others === '' ? '' : [`  ${others}`, 'dim'],
    ];
  });
  const head: Piece[] = [
    [name, 'bold'],
    `  ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`,
  ];
  return [head, ...lines].map((pieces) => renderLine(pieces, appearance));
}

function headOf(flow: FlowPicture, nowMs: number, utf8: boolean): Piece[] {
  const elapsed = (flow.endedMs ?? nowMs) - flow.startedMs;
  return [
    glyphOf(flow.state, utf8),
    ' ',
    [flow.name, 'bold'],
    '  ',
    [flow.state, styleOf(flow.state)],
    `  ${progressOf(flow)}  ${secondsText(elapsed)}`,
  ];
}

function widthOf(pieces: readonly Piece[]): number {
  return pieces.reduce(
    (sum, piece) => sum + (typeof piece === 'string' ? piece : piece[0]).length,
    0,
  );
}

/** The steps to show when space is short: active ones first, then the latest ended ones. */
function mostInteresting(tree: readonly TreeStep[], limit: number): readonly TreeStep[] {
  const interest = ['Failed', 'Blocked', 'Running', 'Pending', 'Suspended'];
  const rank = ({ step }: TreeStep): number =>
    interest.includes(step.state) ? Number.MAX_VALUE : (step.endedMs ?? 0);
  const known = tree.filter((entry) => rank(entry) > 0);
  const chosen = known.toSorted((left, right) => rank(right) - rank(left));
  return chosen
    .slice(0, Math.max(1, limit))
    .sort((left, right) => tree.indexOf(left) - tree.indexOf(right))
    .map(({ step }) => ({ step, branches: [false] }));
}

/** The lines that continue below a step. */
function trunks(branches: readonly boolean[], utf8: boolean): string {
  return branches.map((goesOn) => (goesOn ? (utf8 ? '│  ' : '|  ') : '   ')).join('');
}

function limbs(branches: readonly boolean[], utf8: boolean): string {
  const [branch, last] = utf8 ? (['├─ ', '└─ '] as const) : (['|- ', '`- '] as const);
  return `${trunks(branches.slice(0, -1), utf8)}${branches.at(-1) === true ? branch : last}`;
}
