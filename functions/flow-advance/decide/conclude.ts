/** Makes the plan from the wanted status and the writes on children. */
import type { JobFlowStatus } from '#shared/api/job-flow.ts';
import type { Decision, Reason } from '#shared/domain/decision.ts';
import { resources } from '#shared/domain/resources.ts';
import { isTtlWithheld } from '#shared/parents/child-ttl.ts';
import { concluded } from '#shared/parents/conclude.ts';
import { ownReasons, partReason } from '#shared/parents/reasons.ts';
import { type Draft, withoutRefused } from '#shared/parents/refused-writes.ts';
import { flowStatusWrite } from './coalesce.ts';
import { eventsFor, lostFieldsEvents } from './events.ts';
import { familyOf } from './family.ts';
import type { Situation } from './situation.ts';
import { pinnedAnew, transitionsOf, type Transitions } from './transitions.ts';
import { flowWords } from './words.ts';

export function conclude(situation: Situation, wanted: Draft<JobFlowStatus>): Decision {
  const { flow: parent, refusedWrites, nowMs } = situation;
  const { operations, status, dueMs } = withoutRefused({ parent, refusedWrites, nowMs }, wanted);
  const transitions = transitionsOf(situation.status, status);
  return concluded(situation.flow, resources.JobFlow, {
    children: [operations],
    write: flowStatusWrite(situation, status),
    events: (isRecorded) =>
      isRecorded ? eventsFor(situation, transitions) : lostFieldsEvents(situation),
    reasons: reasonsOf(transitions),
    dueMs,
    isFollowedUp: () => recordsRunning(transitions) || isTtlWithheld(familyOf(situation)),
    nowMs,
  });
}

/** Once a step is recorded as Running, the next pass reads its Pods to report why it does not run. */
function recordsRunning({ before, steps }: Transitions): boolean {
  const known = new Map(before.jobStatusList?.map(({ name, state }) => [name, state]));
  return steps.some(({ name, state }) => state === 'Running' && known.get(name) !== state);
}

function reasonsOf({ before, after, steps }: Transitions): readonly Reason[] {
  return [
    ...ownReasons(flowWords, { before, after }, after.progress ?? ''),
    ...pinnedAnew({ before, after }).map((message) => ({ code: 'TemplatePinnedAnew', message })),
    ...steps.map((step) => partReason(flowWords, step, { attempt: step.attempt ?? 0 })),
  ];
}
