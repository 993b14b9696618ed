/** Limits how many steps run at once: `spec.parallelism` (rule 24). */
import { noPlace } from '#shared/api/step-records.ts';
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { counted } from '#shared/domain/wording.ts';
import { isOver, notStarted } from './record.ts';
import { isRefused } from './refusals.ts';
import type { Situation } from './situation.ts';
import type { Step } from './steps.ts';

/** Interval after which the turn passes to the next refused step, milliseconds. */
const turnMs = 10_000;

export function isLimited({ flow }: Situation): boolean {
  return flow.spec.parallelism !== undefined;
}

/**
 * The ready steps that get a place, in the order of the spec. Refused steps come last and take turns,
 * because each would keep a place from a step that can be created.
 */
export function placedSteps(
  situation: Situation,
  steps: readonly Step[],
  ready: readonly Step[],
): ReadonlySet<Step> {
  const { parallelism } = situation.flow.spec;
  if (parallelism === undefined) return new Set(ready);
  const refused = ready.filter(({ record }) => isRefused(record));
  const turn = Math.floor(situation.nowMs / turnMs) % Math.max(1, refused.length);
  const inOrder = [
    ...ready.filter(({ record }) => !isRefused(record)),
    ...refused.slice(turn),
    ...refused.slice(0, turn),
  ];
  return new Set(inOrder.slice(0, Math.max(0, parallelism - takenPlaces(situation, steps))));
}

/** Counts Jobs that may have Pods, and created Jobs that are not in the view yet. */
function takenPlaces({ snapshot }: Situation, steps: readonly Step[]): number {
  const inSight = new Set(snapshot.jobs.map(({ name }) => name));
  const unseen = steps.filter(
    ({ record: { state, jobName } }) =>
      jobName !== undefined && !isOver(state) && !inSight.has(jobName),
  );
  return snapshot.jobs.filter((job) => !isFinishedJob(job)).length + unseen.length;
}

/** A refused step keeps its reason. */
export function withoutPlace({ flow }: Situation, step: Step): Step {
  const { record } = step;
  if (isRefused(record)) return step;
  const most = flow.spec.parallelism ?? 0;
  const running = `${counted(most, 'step')} ${most === 1 ? 'runs' : 'run'}`;
  const message = `waiting for a place: at most ${running} at once (spec.parallelism)`;
  return { ...step, record: notStarted(record, 'Waiting', { reason: noPlace, message }) };
}
