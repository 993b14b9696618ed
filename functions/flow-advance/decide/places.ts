/** How many steps run at once: `spec.parallelism` (rule 24). */
import { noPlace } from '#shared/api/step-records.ts';
import { isFinishedJob } from '#shared/domain/child-state.ts';
import { isOver, notStarted } from './record.ts';
import { isRefused } from './refusals.ts';
import type { Situation } from './situation.ts';
import type { Step } from './steps.ts';

/** Refused steps take turns for a place, milliseconds: so often the first of them asks again. */
const turnMs = 10_000;

export function isLimited({ flow }: Situation): boolean {
  return flow.spec.parallelism !== undefined;
}

/**
 * Of the steps that could start those that find a place, in the order of the spec. What was refused before comes
 * last, since it would keep the place from one that can be created, and each of those in its turn.
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

/** Jobs that may have Pods, and those that were created and are not in sight yet. */
function takenPlaces({ snapshot }: Situation, steps: readonly Step[]): number {
  const inSight = new Set(snapshot.jobs.map(({ name }) => name));
  const unseen = steps.filter(
    ({ record: { state, jobName } }) =>
      jobName !== undefined && !isOver(state) && !inSight.has(jobName),
  );
  return snapshot.jobs.filter((job) => !isFinishedJob(job)).length + unseen.length;
}

/** What was refused goes on saying so. */
export function withoutPlace({ flow }: Situation, step: Step): Step {
  const { record } = step;
  if (isRefused(record)) return step;
  const message = `waiting for a place: at most ${flow.spec.parallelism ?? 0} steps run at once (spec.parallelism)`;
  return { ...step, record: notStarted(record, 'Waiting', { reason: noPlace, message }) };
}
