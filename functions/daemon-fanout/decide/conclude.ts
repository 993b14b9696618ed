/** Makes the plan from the wanted status and the writes on children. */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import type { Decision, Reason } from '#shared/domain/decision.ts';
import type { Stage } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { isTtlWithheld } from '#shared/parents/child-ttl.ts';
import { concluded } from '#shared/parents/conclude.ts';
import { ownReasons, partReason } from '#shared/parents/reasons.ts';
import { type Draft, withoutRefused } from '#shared/parents/refused-writes.ts';
import { daemonJobStatusWrite } from './coalesce.ts';
import { eventsFor } from './events.ts';
import { familyOf } from './family.ts';
import type { Situation } from './situation.ts';
import { transitionsOf, type Transitions } from './transitions.ts';
import { daemonJobWords } from './words.ts';

interface NodesDraft extends Draft<DaemonJobStatus> {
  /** Creates, stage by stage, after the writes on existing children. */
  readonly creates: readonly Stage[];
  /** Another step waits until the status is recorded. */
  readonly isUrgent?: boolean;
  /** The status records a running Job for the first time. The next pass then reads its Pods. */
  readonly recordsRunning?: boolean;
}

export function conclude(situation: Situation, wanted: NodesDraft): Decision {
  const { daemonJob: parent, refusedWrites, nowMs } = situation;
  const draft = withoutRefused({ parent, refusedWrites, nowMs }, wanted);
  const { operations, creates, status, dueMs, isUrgent, recordsRunning } = draft;
  const transitions = transitionsOf(situation.status, status);
  return concluded(situation.daemonJob, resources.DaemonJob, {
    children: [operations, ...creates],
    write: daemonJobStatusWrite(situation, status, isUrgent === true),
    events: (isRecorded) => (isRecorded ? eventsFor(situation, transitions) : []),
    reasons: reasonsOf(transitions),
    dueMs,
    // Its Pods may have reported a problem before this record, and no further event may come.
    isFollowedUp: () => recordsRunning === true || isTtlWithheld(familyOf(situation)),
    nowMs,
  });
}

function reasonsOf({ before, after, nodes }: Transitions): readonly Reason[] {
  const { succeeded = 0, desired = 0 } = after;
  return [
    ...ownReasons(daemonJobWords, { before, after }, `${succeeded}/${desired}`),
    ...nodes.map((entry) => partReason(daemonJobWords, entry)),
  ];
}
