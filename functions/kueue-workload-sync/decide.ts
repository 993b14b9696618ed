/**
 * Decides the next step between a queued job and its Workload. Pure: the same snapshot and time give the same bytes.
 *
 * The steps are those of Kueue's generic reconciler (pkg/controller/jobframework/reconciler.go, v0.19), in its
 * order. Their numbers are those of docs/kueue.md. Each decision does one thing; the event of its write leads to
 * the next.
 */
import type { Decide, Decision } from '#shared/domain/decision.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { Ancestor, QueueSnapshot } from './snapshot.ts';
import { holds, type Workload } from './workload.ts';
import { ensureOne } from './decide/ensure-one.ts';
import { giveWay } from './decide/evicted.ts';
import { givesUp, isGivenUp, isLastGivenUp } from './decide/given-up.ts';
import { finish, release } from './decide/finish.ts';
import { unfollowedClass } from './decide/in-step.ts';
import { lapse, lapsesAtMs } from './decide/lapse.ts';
import { leave } from './decide/leave.ts';
import { letGo } from './decide/let-go.ts';
import {
  deleteWorkload,
  event,
  patchWorkload,
  patchWorkloadStatus,
  present,
  withoutFinalizer,
} from './decide/operations.ts';
import { notYet, noted, written } from './decide/outcome.ts';
import { report, reportDueMs } from './decide/report.ts';
import { openSituation, type Situation } from './decide/situation.ts';
import { start } from './decide/start.ts';
import { stopStages } from './decide/stop.ts';
import { groundsOf, stopsJob } from './stops-job.ts';
import { whyItWaits, whySilent } from './decide/wait-words.ts';

export const decide: Decide<QueueSnapshot> = (snapshot, input) => {
  const decision = nextStep(snapshot, input);
  return stopsJob(snapshot, decision) ? { ...decision, restsOn: groundsOf(snapshot) } : decision;
};

const nextStep: Decide<QueueSnapshot> = (snapshot, input) => {
  const { job, rejections } = snapshot;
  // 1. The job is gone or being deleted.
  if (job === undefined || job.metadata.deletionTimestamp !== undefined) {
    return letGo(snapshot, input.nowMs);
  }
  const situation = openSituation(snapshot, job, input);
  // 4 and 6. The job is admitted with its owner.
  if (snapshot.ancestor !== undefined) return withAncestor(situation, snapshot.ancestor);
  // 5. The job is in no queue.
  if (situation.queue === '') return leave(situation);
  if (snapshot.lacksKueue === true) return withoutKueue(situation);
  const [refused] = rejections;
  if (refused !== undefined) return refusedWrite(situation, refused);
  // 7 and 14. There is exactly one Workload, and it matches the job.
  const ensured = ensureOne(situation);
  if (ensured.kind === 'first') return ensured.decision;
  const { workload } = ensured;
  const decision = withWorkload(situation, workload);
  return { ...decision, plan: [...unfollowedClass(situation, workload), ...decision.plan] };
};

/** The owner resumes the job, because only the owner has an admission. */
function withAncestor(situation: Situation, ancestor: Ancestor): Decision {
  if (ancestor.kind === 'endless') return nestedTooDeep(situation);
  const { owner, isAdmitted } = ancestor;
  const message = `it is admitted with ${owner}`;
  if (isAdmitted !== false) return notYet('AdmittedWithOwner', message);
  const stages = stopStages(situation, 'Kueue managed child job suspended', 'Suspended');
  return written('OwnerNotAdmitted', message, stages);
}

function nestedTooDeep(situation: Situation): Decision {
  const message =
    'metadata.ownerReferences: the owners form a cycle, or a chain that is longer than Kueue follows; correct them';
  if (situation.queue === '') return notYet('JobNestingTooDeep', message);
  const reason = 'JobNestingTooDeep';
  const warning = event(situation, reason, message, { occurrence: reason, type: 'Warning' });
  return noted(situation, message, [[warning]], refusedAgainMs);
}

/** A refused write may be accepted later, milliseconds. */
const refusedAgainMs = 30_000;

/** The status of a waiting job says it too. One that is to be stopped, or its Workload, has only the Event. */
function refusedWrite(situation: Situation, { code, name, message }: Rejection): Decision {
  const note = `what follows from the state in Kueue is refused, and tried again: ${name}: ${message}`;
  const occurrence = `${code} ${name} ${situation.job.metadata.generation ?? 0}`;
  const warning = event(situation, code, note, { occurrence, type: 'Warning' });
  const decision = noted(situation, message, [], refusedAgainMs);
  return { ...decision, plan: [[warning], ...decision.plan] };
}

function withoutKueue(situation: Situation): Decision {
  const message = 'Kueue is not installed in this cluster; install it, or take the label away';
  return noted(situation, message, [], refusedAgainMs);
}

function withWorkload(situation: Situation, workload: Workload): Decision {
  const { kind, job } = situation;
  // 10. The Workload is finished: nothing of the job is left to run.
  if (holds(workload, 'Finished')) return release(situation, workload);
  // 11. The Workload is being deleted: the job stops first.
  if (workload.metadata.deletionTimestamp !== undefined) return whileDeleted(situation, workload);
  // 13. The job has ended.
  const end = kind.endOf(job);
  if (end !== undefined) return finish(situation, workload, end);
  // 17. Kueue takes the admission back.
  const evicted = giveWay(situation, workload);
  if (evicted !== undefined) return evicted;
  // 15 and 16. The job reports its Pods.
  const news = report(situation, workload);
  const dueMs = news === undefined ? undefined : reportDueMs(situation, workload, news);
  if (news !== undefined && dueMs === undefined) {
    return written('Reported', 'the Workload reports its Pods', [
      [patchWorkloadStatus(workload, news)],
    ]);
  }
  const isAdmitted = holds(workload, 'Admitted') && !holds(workload, 'Evicted');
  // 18. The job waits or starts.
  if (situation.isSuspended)
    return isAdmitted ? begin(situation, workload) : wait(situation, workload);
  // 19. The job runs without an admission.
  if (!isAdmitted) {
    const message = 'Not admitted by cluster queue';
    return written('NotAdmitted', message, stopStages(situation, message));
  }
  // 20. The job runs with an admission.
  return {
    ...notYet('Admitted', 'it runs'),
    ...(dueMs === undefined ? {} : { requeueAtMs: dueMs }),
  };
}

function whileDeleted(situation: Situation, workload: Workload): Decision {
  const message = 'Workload is deleted';
  const stages = stopStages(situation, message);
  if (stages.length > 0) return written('WorkloadDeleted', message, stages);
  // The quota is held until nothing runs any more.
  if (situation.kind.isActive(situation.job)) return notYet('WorkloadDeleted', message);
  return written('WorkloadDeleted', message, [
    ...givesUp(situation, [workload]),
    present(withoutFinalizer(workload)),
  ]);
}

function begin(situation: Situation, workload: Workload): Decision {
  if (isGivenUp(workload, situation.job)) return whileGivenUp(situation, workload);
  const started = start(situation, workload);
  if (started.kind === 'waits') return noted(situation, started.message, [], refusedAgainMs);
  return written('Started', 'admitted', started.plan);
}

/**
 * A crash, and then a retry by hand, may come between the patch that gives an admission up and the write that gives
 * its quota back. So the Workload is deleted in the version that was given up, and step 11 does the
 * rest. A Workload of MultiKueue belongs to MultiKueue.
 */
function whileGivenUp(situation: Situation, workload: Workload): Decision {
  const { kind, job, snapshot } = situation;
  const message = 'it has given up this admission';
  if (!isLastGivenUp(workload, job) || snapshot.isDispatched === true || kind.isActive(job)) {
    return notYet('AdmissionGivenUp', `${message}, and a later one starts it`);
  }
  const { resourceVersion } = workload.metadata;
  return written('AdmissionGivenUp', `${message}, and another Workload takes its place`, [
    [{ ...deleteWorkload(workload), resourceVersion }],
  ]);
}

/** The queue of a Workload follows the label while Kueue allows it. */
function wait(situation: Situation, workload: Workload): Decision {
  const { queue, nowMs } = situation;
  const lapsesMs = lapsesAtMs(situation, workload);
  if (lapsesMs !== undefined && lapsesMs <= nowMs) return lapse(situation);
  if (workload.spec.queueName !== queue && !holds(workload, 'QuotaReserved')) {
    const patch = patchWorkload(workload, { spec: { queueName: queue } });
    return written('UpdatedWorkload', 'the queue has changed', [[patch]]);
  }
  const why = whyItWaits(workload) ?? whySilent(workload, nowMs);
  return why === undefined
    ? notYet('Queued', 'Kueue has not reported anything yet')
    : noted(situation, why, [], lapsesMs === undefined ? undefined : lapsesMs - nowMs);
}
