/** Words for states, times and causes, in the tree and in plain lines alike. */
import type { StepState } from '#shared/api/job-flow.ts';
import type { Piece, Style } from '../terminal/line.ts';
import type { FlowPicture, StepPicture } from './flow-picture.ts';

const styles: Readonly<Record<StepState, readonly [utf8: string, ascii: string, style: Style]>> = {
  Waiting: ['○', '.', 'dim'],
  Blocked: ['⊘', '!', 'yellow'],
  Pending: ['◌', ':', 'cyan'],
  Running: ['●', '>', 'cyan'],
  Suspended: ['‖', '=', 'yellow'],
  Succeed: ['✔', '+', 'green'],
  Failed: ['✖', 'x', 'red'],
  Skipped: ['–', '-', 'dim'],
};

export const stateWidth = Math.max(...Object.keys(styles).map((state) => state.length));

export function glyphOf(state: string, utf8: boolean): Piece {
  const [fancy, plain, style] = styles[stepStateOf(state)];
  return [utf8 ? fancy : plain, style];
}

export function styleOf(state: string): Style {
  return styles[stepStateOf(state)][2];
}

export function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(1)}s`;
}

export function durationOf(step: StepPicture, nowMs: number): string {
  const { startedMs, endedMs = nowMs } = step;
  return startedMs === undefined ? '' : secondsText(endedMs - startedMs);
}

/** For example `<- job1, job2 completed`. */
export function causeText(step: StepPicture, utf8: boolean): string {
  const { cause, dependencies, startedMs } = step;
  if (startedMs === undefined || cause === undefined) return '';
  const what =
    dependencies.length === 0 ? 'the flow was applied' : `${listText(dependencies)} completed`;
  return `${utf8 ? '←' : '<-'} ${what}`;
}

/**
 * For example `event job2@412`: object and version, the only content of an event. Events coalesce, so the decision
 * that saw the dependencies complete may come from another event.
 */
export function eventText({ cause, dependencies }: StepPicture): string {
  if (cause === undefined) return '';
  const isOwn = cause.of === 'flow' || dependencies.includes(cause.name);
  return `${isOwn ? 'event' : 'seen with event'} ${cause.name}@${cause.resourceVersion}`;
}

/** The reason of a state, for states that need one. */
export function remarkOf({ state, reason, message, dependencies }: StepPicture): string {
  if (state === 'Waiting' && reason === undefined) {
    return dependencies.length === 0 ? '' : `waits for ${listText(dependencies)}`;
  }
  if (state === 'Waiting' && message !== undefined) return message;
  if (state === 'Succeed') return '';
  return [reason, message].filter((text) => text !== undefined && text !== '').join(': ');
}

export function progressOf({ steps, progress }: FlowPicture): string {
  return (
    progress ?? `${steps.filter(({ state }) => state === 'Succeed').length} of ${steps.length}`
  );
}

export function listText(names: readonly string[]): string {
  return names.join(', ');
}

/** A state of a flow or AppWrapper that steps do not have, such as Terminating, becomes Pending. */
function stepStateOf(state: string): StepState {
  if (state === 'Succeeded') return 'Succeed';
  return Object.hasOwn(styles, state) ? (state as StepState) : 'Pending';
}
