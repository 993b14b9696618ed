/** From what is wanted to the plan that brings it about (P1 to P3 of shared/domain/plan.ts). */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import type { Decision, Reason } from '#shared/domain/decision.ts';
import type { Operation, Plan, Stage } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import { statusWrite } from './coalesce.ts';
import { eventsFor } from './events.ts';
import type { Situation } from './situation.ts';
import { isTtlWithheld } from './ttl.ts';
import { transitionsOf, type Transitions } from './transitions.ts';

export interface Draft {
  /** Writes on children that are there; independent of one another. */
  readonly operations: readonly Operation[];
  /** Stage by stage. */
  readonly creates: readonly Stage[];
  readonly status: DaemonJobStatus;
  /** Something waits for the status to be on record. */
  readonly isUrgent?: boolean;
  /** A Job that runs comes on record with it: of such a one it is asked why it does not run. */
  readonly recordsRunning?: boolean;
  /** When to look again although nothing happens, milliseconds since the epoch. */
  readonly dueMs: readonly (number | undefined)[];
}

/** Children first, then the Events that tell of it, then the status that is the record of it. */
export function conclude(situation: Situation, draft: Draft): Decision {
  const write = statusWrite(situation, draft.status, draft.isUrgent === true);
  const transitions = transitionsOf(situation.status, draft.status);
  const told: Plan =
    write.patch === undefined
      ? []
      : [
          eventsFor(situation, transitions),
          [
            {
              kind: 'patchStatus',
              resource: resources.DaemonJob,
              target: { namespace: situation.namespace, name: situation.daemonJob.metadata.name },
              uid: situation.daemonJob.metadata.uid,
              resourceVersion: situation.daemonJob.metadata.resourceVersion,
              status: write.patch,
            },
          ],
        ];
  const plan = [draft.operations, ...draft.creates, ...told];
  // Its Pods may have told what is wrong before anybody asked, and no event need tell it again.
  const isFollowedUp = draft.recordsRunning === true || isTtlWithheld(situation);
  const asks = write.patch !== undefined && isFollowedUp;
  const followUpMs = asks ? situation.nowMs : undefined;
  return decision(plan, reasonsOf(transitions), [...draft.dueMs, write.dueMs, followUpMs]);
}

export function decision(
  stages: Plan,
  reasons: readonly Reason[],
  dueMs: readonly (number | undefined)[],
): Decision {
  const plan = stages.filter((stage: Stage) => stage.length > 0);
  const times = dueMs.filter((time) => time !== undefined);
  return times.length === 0
    ? { plan, reasons }
    : { plan, reasons, requeueAtMs: Math.min(...times) };
}

/** The DaemonJob's own word, and one for each node that has news. */
function reasonsOf({ after, nodes }: Transitions): readonly Reason[] {
  const { state = 'Unknown', succeeded = 0, desired = 0 } = after;
  return [
    {
      code: after.reason ?? state,
      message: after.message ?? `the DaemonJob is ${state}`,
      fields: { state, progress: `${succeeded}/${desired}` },
    },
    ...nodes.map((entry) => ({
      code: entry.reason ?? entry.state,
      message: `node ${entry.name}: ${entry.message ?? entry.state}`,
      fields: { node: entry.name, state: entry.state },
    })),
  ];
}
