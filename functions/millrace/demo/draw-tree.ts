import type { Appearance } from '../terminal/appearance.ts';
import { type Piece, renderLine } from '../terminal/line.ts';
import type { FlowPicture } from './flow-picture.ts';
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
  /** More lines than this are not drawn. */
  readonly rows: number;
}

/** The flow as a tree: one line for it and one for each step. Pure. */
export function drawTree(
  flow: FlowPicture,
  nowMs: number,
  appearance: Appearance,
  { columns, rows }: Frame,
): readonly string[] {
  const tree = treeOf(flow.steps);
  const shown = tree.length < rows ? tree : underway(tree, rows - 2);
  const labels = shown.map(({ branches }) => limbs(branches, appearance.utf8));
  const width = Math.max(
    ...shown.map(({ step }, index) => (labels[index]?.length ?? 0) + step.name.length),
  );
  const lines = shown.map(({ step }, index) => {
    const limb = labels[index] ?? '';
    const why = remarkOf(step) || causeText(step, appearance.utf8);
    return [
      [limb, 'dim'],
      glyphOf(step.state, appearance.utf8),
      ` ${step.name.padEnd(width - limb.length)}  `,
      [step.state.padEnd(stateWidth), styleOf(step.state)],
      ` ${durationOf(step, nowMs).padStart(7)}  `,
      why,
      [step.cause === undefined || remarkOf(step) !== '' ? '' : `  ${eventText(step)}`, 'dim'],
    ] satisfies Piece[];
  });
  const hidden = tree.length - shown.length;
  const rest: Piece[][] = hidden === 0 ? [] : [[[`  and ${hidden} more steps`, 'dim']]];
  return [headOf(flow, nowMs, appearance.utf8), ...lines, ...rest].map((pieces) =>
    renderLine(pieces, appearance, columns),
  );
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

/** What is worth a line when there is no room for all. */
function underway(tree: readonly TreeStep[], limit: number): readonly TreeStep[] {
  const interest = ['Failed', 'Blocked', 'Running', 'Pending', 'Suspended'];
  return tree
    .filter(({ step }) => interest.includes(step.state))
    .slice(0, Math.max(0, limit))
    .map(({ step }) => ({ step, branches: [false] }));
}

function limbs(branches: readonly boolean[], utf8: boolean): string {
  const [on, none, branch, last] = utf8
    ? (['│  ', '   ', '├─ ', '└─ '] as const)
    : (['|  ', '   ', '|- ', '`- '] as const);
  const above = branches.slice(0, -1).map((goesOn) => (goesOn ? on : none));
  return [...above, branches.at(-1) === true ? branch : last].join('');
}
