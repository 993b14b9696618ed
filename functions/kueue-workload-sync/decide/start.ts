/** Starts an admitted job: one patch sets its placement and resumes it. */
import { annotations } from '#shared/domain/labels.ts';
import type { Plan } from '#shared/domain/plan.ts';
import { conditionOf, type Workload } from '../workload.ts';
import { conditionsWith, event, patchJob, patchWorkloadStatus } from './operations.ts';
import { placements } from './placements.ts';
import { podSetInfos } from './pod-set-infos.ts';
import type { Situation } from './situation.ts';

export type Start =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'waits'; readonly message: string };

export function start(situation: Situation, workload: Workload): Start {
  const { snapshot, kind, job, nowMs } = situation;
  const found = podSetInfos(workload, snapshot.flavors);
  if (found.kind !== 'admitted') {
    const { message } = found;
    if (found.kind === 'missing') return { kind: 'waits', message };
    const failed = { type: 'Finished', status: 'True', reason: 'FailedToStart', message } as const;
    const status = conditionsWith(workload, [failed], nowMs);
    return { kind: 'plan', plan: [[patchWorkloadStatus(workload, status)]] };
  }
  const { clusterQueue = '' } = workload.status?.admission ?? {};
  const admittedAt = conditionOf(workload, 'Admitted')?.lastTransitionTime ?? '';
  const occurrence = `${workload.metadata.uid} ${admittedAt}`;
  const isNoted = job.metadata.annotations?.[annotations.queued] !== undefined;
  const started = event(situation, 'Started', `Admitted by clusterQueue ${clusterQueue}`, {
    occurrence,
  });
  const placing = placements(situation, found.podSets);
  // An admission may refuse the patch. Then no Event reports a start, and the status says why the job waits.
  const patch = patchJob(situation, {
    ...(isNoted ? { metadata: { annotations: { [annotations.queued]: null } } } : {}),
    spec: { suspend: false, ...kind.place(job, found.podSets) },
  });
  return {
    kind: 'plan',
    plan: [[...placing], [patch], [started]].filter((each) => each.length > 0),
  };
}
