/**
 * A job that MultiKueue copied into this cluster gets its Workload from MultiKueue, so none is created here
 * (kueue, jobframework/reconciler.go, ensurePrebuiltWorkload).
 */
import { isControlledBy } from '#shared/domain/objects.ts';
import type { PodSets } from '#shared/api/work/queueing/queueing.ts';
import { labels } from '#shared/domain/labels.ts';
import { controllerOwner, holds, jobUidLabel, type Workload } from '../workload.ts';
import { isEquivalent } from './equivalence.ts';
import { maximumSeconds } from './new-workload.ts';
import { conditionsWith, patchWorkload, patchWorkloadStatus } from './operations.ts';
import { type Ensured, noted, written } from './outcome.ts';
import type { Situation } from './situation.ts';
import { stopStages } from './stop.ts';

/** A Workload without an owner wakes no function when it is created, so it is read again, milliseconds. */
const retryMs = 10_000;

export function dispatchedOne(
  situation: Situation,
  { podSets }: Extract<PodSets, { readonly kind: 'podSets' }>,
): Ensured {
  const { nowMs, snapshot, workloads } = situation;
  const [workload] = workloads;
  if (workload === undefined) return { kind: 'first', decision: withoutIt(situation) };
  if (!isControlledBy(workload.metadata, snapshot.key.uid)) {
    const message = 'the Workload that MultiKueue has dispatched has its owner now';
    const decision = written('AdoptedWorkload', message, [[adopting(situation, workload)]]);
    return { kind: 'first', decision };
  }
  const isSame = isEquivalent(workload, podSets, maximumSeconds(situation));
  if (isSame || holds(workload, 'Finished')) return { kind: 'one', workload };
  const message = 'The prebuilt workload is out of sync with its user job';
  const outOfSync = { type: 'Finished', status: 'True', reason: 'OutOfSync', message } as const;
  const status = conditionsWith(workload, [outOfSync], nowMs);
  const plan = [[patchWorkloadStatus(workload, status)]];
  return { kind: 'first', decision: written('OutOfSync', message, plan) };
}

function withoutIt(situation: Situation) {
  const stages = stopStages(situation, 'missing workload');
  if (stages.length > 0) return written('NoMatchingWorkload', 'missing workload', stages);
  const message = `the Workload "${situation.snapshot.workloadName}" that MultiKueue names is not there`;
  return noted(situation, message, [], retryMs);
}

function adopting({ snapshot: { key } }: Situation, workload: Workload) {
  const { ownerReferences = [] } = workload.metadata;
  return patchWorkload(workload, {
    metadata: {
      labels: { [jobUidLabel]: key.uid, [labels.ownerUid]: key.uid },
      ownerReferences: [...ownerReferences, controllerOwner(key)].map((each) => ({ ...each })),
    },
  });
}
