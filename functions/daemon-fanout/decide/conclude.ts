/** Makes the plan from the wanted status and the writes on children. */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import type { Decision, Reason } from '#shared/domain/decision.ts';
import type { Operation, Stage } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { isTtlWithheld } from '#shared/parents/child-ttl.ts';
import { concluded } from '#shared/parents/conclude.ts';
import { ownReasons, partReason } from '#shared/parents/reasons.ts';
import { daemonJobStatusWrite } from './coalesce.ts';
import { eventsFor } from './events.ts';
import { familyOf } from './family.ts';
import type { Situation } from './situation.ts';
import { transitionsOf, type Transitions } from './transitions.ts';
import { daemonJobWords } from './words.ts';

export interface Draft {
  /** Writes on existing children, independent of one another. */
  readonly operations: readonly Operation[];
  /** Creates, stage by stage. */
  readonly creates: readonly Stage[];
  readonly status: DaemonJobStatus;
  /** Another step waits until the status is recorded. */
  readonly isUrgent?: boolean;
  /** The status records a running Job for the first time. The next pass then reads its Pods. */
  readonly recordsRunning?: boolean;
  /** When to decide again even without an event, milliseconds since the epoch. */
  readonly dueMs: readonly (number | undefined)[];
}

export function conclude(situation: Situation, draft: Draft): Decision {
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
    nowMs: situation.nowMs,
  });
}

function reasonsOf({ before, after, nodes }: Transitions): readonly Reason[] {
  const { succeeded = 0, desired = 0 } = after;
  return [
    ...ownReasons(daemonJobWords, { before, after }, `${succeeded}/${desired}`),
    ...nodes.map((entry) => partReason(daemonJobWords, entry)),
  ];
}
