/** Stops a job: one patch suspends it and takes its placement back. */
import { annotations } from '#shared/domain/labels.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Stage } from '#shared/domain/plan.ts';
import { givingUp } from './given-up.ts';
import { event, patchJob } from './operations.ts';
import type { Situation } from './situation.ts';

/** The suspended spec. */
export function suspended({ kind, job }: Situation): JsonObject {
  return { suspend: true, ...kind.takeBack(job) };
}

/** Empty: the job is suspended already. */
export function stopStages(
  situation: Situation,
  message: string,
  reason = 'Stopped',
): readonly Stage[] {
  const { job } = situation;
  if (situation.isSuspended) return [];
  const isNoted = job.metadata.annotations?.[annotations.queued] !== undefined;
  const notes = {
    ...(isNoted ? { [annotations.queued]: null } : {}),
    ...givingUp(situation.workloads),
  };
  const occurrence = `stopped ${job.metadata.generation ?? 0}`;
  return [
    [event(situation, reason, message, { occurrence })],
    [
      {
        ...patchJob(situation, {
          ...(Object.keys(notes).length === 0 ? {} : { metadata: { annotations: notes } }),
          spec: suspended(situation),
        }),
        isFinal: true,
      },
    ],
  ];
}
