import type { Piece } from '../terminal/line.ts';
import type { FlowPicture, StepPicture } from './flow-picture.ts';
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

export interface NarrateOptions {
  readonly utf8: boolean;
  /** Shows the event that started each step. */
  readonly events?: boolean;
}

/** One line for each change between two pictures, for output that cannot be redrawn. Pure. */
export function narrate(
  before: FlowPicture | undefined,
  after: FlowPicture,
  nowMs: number,
  { utf8, events = false }: NarrateOptions,
): readonly (readonly Piece[])[] {
  const known = new Map(before?.steps.map((step) => [step.name, step]));
  const width = Math.max(after.name.length, ...after.steps.map(({ name }) => name.length));
  const line = (
    atMs: number,
    name: string,
    state: string,
    ...rest: readonly Piece[]
  ): readonly Piece[] => [
    [secondsText(atMs - after.startedMs).padStart(7), 'dim'],
    '  ',
    glyphOf(state, utf8),
    ` ${name.padEnd(width)}  `,
    [state.padEnd(stateWidth), styleOf(state)],
    ' ',
    ...rest,
  ];
  const endMs = before === undefined ? (after.endedMs ?? nowMs) : nowMs;
  const steps = after.steps
    .filter((step) => isNews(known.get(step.name), step))
    .map((step) => {
      const earlier = known.get(step.name);
      return { step, earlier, atMs: momentOf(earlier, step, after, nowMs) };
    })
    .sort((left, right) => left.atMs - right.atMs)
    .map(({ step, earlier, atMs }) =>
      line(atMs, step.name, step.state, ...detailsOf(earlier, step, nowMs, { utf8, events })),
    );
  const isSame =
    before?.state === after.state &&
    before.isEnded === after.isEnded &&
    (after.isEnded || before.reason === after.reason);
  const flow = isSame ? [] : [line(endMs, after.name, after.state, ...wholeOf(after))];
  return after.isEnded ? [...steps, ...flow] : [...flow, ...steps];
}

/** The reason of an end is that of a step, which has its own line. */
function wholeOf(flow: FlowPicture): readonly Piece[] {
  const { isEnded, reason = '', message = '' } = flow;
  const why = [reason, message].filter((text) => text !== '').join(': ');
  return [progressOf(flow), isEnded || why === '' ? '' : `  ${why}`];
}

/** When it reached its state. At the first observation, that may be long ago. */
function momentOf(
  before: StepPicture | undefined,
  after: StepPicture,
  flow: FlowPicture,
  nowMs: number,
): number {
  if (before !== undefined && before.state !== after.state) return nowMs;
  return (isUnderway(after) ? after.startedMs : after.endedMs) ?? flow.endedMs ?? nowMs;
}

/** A start is reported once its cause is known. A step that still waits is not reported. */
function isNews(before: StepPicture | undefined, after: StepPicture): boolean {
  if (isUnderway(after) && after.cause === undefined) return false;
  if (after.state === 'Waiting') return after.attempt > 0 && before?.reason !== after.reason;
  if (before === undefined) return true;
  return (
    before.state !== after.state ||
    before.attempt !== after.attempt ||
    before.reason !== after.reason ||
    isStart(before, after)
  );
}

function detailsOf(
  before: StepPicture | undefined,
  after: StepPicture,
  nowMs: number,
  { utf8, events = false }: NarrateOptions,
): readonly Piece[] {
  if (isUnderway(after)) {
    if (!isStart(before, after)) return [];
    return [causeText(after, utf8), events ? [`  ${eventText(after)}`, 'dim'] : ''];
  }
  const remark = remarkOf(after);
  return [durationOf(after, nowMs).padStart(7), remark === '' ? '' : `  ${remark}`];
}

function isStart(before: StepPicture | undefined, after: StepPicture): boolean {
  return (
    before?.attempt !== after.attempt || (before.cause === undefined && after.cause !== undefined)
  );
}

function isUnderway({ state }: StepPicture): boolean {
  return state === 'Pending' || state === 'Running';
}
