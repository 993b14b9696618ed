import type { Piece } from '../terminal/line.ts';
import type { Delivered } from './interference.ts';
import type { FlowPicture, StepPicture } from '../picture/flow-picture.ts';
import type { Played } from './play.ts';
import { listText, progressOf, remarkOf, secondsText, styleOf } from '../picture/words.ts';

/** The result of a demo, in a few lines. Pure. */
export function summaryOf({ flow, delivered, records }: Played): readonly (readonly Piece[])[] {
  return [
    headOf(flow, 'steps'),
    ...failures(flow),
    ...longestWait(flow),
    ...events(delivered, records),
  ];
}

/** The same for a DaemonJob, whose parts are nodes. */
export function summaryOfNodes(picture: FlowPicture): readonly (readonly Piece[])[] {
  return [headOf(picture, 'nodes'), ...failures(picture)];
}

function headOf(flow: FlowPicture, parts: string): readonly Piece[] {
  const wall = secondsText((flow.endedMs ?? flow.startedMs) - flow.startedMs);
  return [[flow.state, styleOf(flow.state)], `: ${progressOf(flow)} ${parts} succeeded in ${wall}`];
}

/** One line for a disturbing delivery. */
export function deliveredText({
  kind,
  step,
  resourceVersion,
  result,
}: Delivered): readonly Piece[] {
  const what = kind === 'duplicate' ? 'delivered twice' : 'delivered late ';
  const event = `the ${kind === 'duplicate' ? 'last' : 'first'} event of ${step} (${step}@${resourceVersion})`;
  const effect: Piece = !result.isHandled
    ? ['not handled yet', 'yellow']
    : result.effects === 0
      ? ['no effect', 'green']
      : [`${result.effects} writes`, 'red'];
  return [[what, 'dim'], ` ${event}: `, effect];
}

function failures({ steps }: FlowPicture): readonly (readonly Piece[])[] {
  return steps
    .filter(({ state }) => state === 'Failed' || state === 'Skipped')
    .map((step) => [`  ${step.name} `, [step.state, styleOf(step.state)], `: ${remarkOf(step)}`]);
}

function longestWait({ steps, startedMs }: FlowPicture): readonly (readonly Piece[])[] {
  const waits = steps
    .filter((step) => step.startedMs !== undefined && step.dependencies.length > 0)
    .map((step) => ({ step, ms: (step.startedMs ?? startedMs) - startedMs }));
  const longest = waits.reduce<(typeof waits)[number] | undefined>(
    (most, wait) => (most === undefined || wait.ms > most.ms ? wait : most),
    undefined,
  );
  if (longest === undefined) return [];
  const { step, ms } = longest;
  return [[`  longest wait: ${step.name}, ${secondsText(ms)}, for ${lastOf(step, steps)}`]];
}

/** The dependency that ended last. */
function lastOf({ dependencies }: StepPicture, steps: readonly StepPicture[]): string {
  const ended = steps
    .filter(({ name }) => dependencies.includes(name))
    .sort((left, right) => (right.endedMs ?? 0) - (left.endedMs ?? 0));
  return ended[0]?.name ?? listText(dependencies);
}

function events(
  delivered: readonly Delivered[],
  records: Played['records'],
): readonly (readonly Piece[])[] {
  if (records === undefined) {
    return [
      ['  events: not counted, and none delivered twice: its queue cannot be reached from here'],
    ];
  }
  const duplicates = delivered.filter(({ result }) => result.isHandled && result.effects === 0);
  const old = duplicates.filter(({ kind }) => kind === 'old').length;
  return [
    [
      `  events: ${records.events.length} handled, ${records.decisions} of them led to writes; `,
      `${duplicates.length} duplicates ignored (${old} of them out of order)`,
    ],
  ];
}
