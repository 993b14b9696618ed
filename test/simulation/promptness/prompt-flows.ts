/** The promptness of JobFlows depends on these fields. */
import type { JobFlowStatus, StepRecord } from '#shared/api/job-flow.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import { judgedFlows } from '../model/flow-model.ts';
import { after, conditionWords, fieldWords, heldBackFrom, type PromptKind } from './owed.ts';

/** A longer step is recorded as running (see decide/coalesce.ts), milliseconds. */
const passingMs = 1_000;
/** Interval of a flow's ordinary progress, in milliseconds. */
const courseMs = 1_000;

export const promptFlows: PromptKind<FlowSnapshot> = {
  judged: judgedFlows,
  concernedBy: ['jobtemplates'],
  statusWords: (patch, known) => statusWords(patch, known),
  dueTimes,
  isRefused: ({ flow: { status } }) =>
    (status?.jobStatusList ?? []).some(
      ({ state, reason }) => state === 'Blocked' && reason !== 'JobTemplateNotFound',
    ),
};

function dueTimes({ flow: { metadata, spec, status }, jobs }: FlowSnapshot): readonly number[] {
  const retries = (status?.jobStatusList ?? []).map(({ nextRetryTime }) => after(nextRetryTime, 0));
  const starts = jobs.map(({ startTime }) => startTime);
  const remarks = jobs.flatMap(({ conditions }) =>
    conditions.map(({ lastTransitionTime }) => lastTransitionTime),
  );
  return [
    ...retries,
    ...[...starts, ...remarks].flatMap((time) => heldBackFrom(time, passingMs)),
    ...heldBackFrom(status?.lastUpdateTime, courseMs),
    after(status?.completionTime, (spec.ttlSecondsAfterFinished ?? NaN) * 1_000),
    ...deadlines(spec.activeDeadlineSeconds, status?.startTime, status),
    ...deadlines(spec.startDeadlineSeconds, metadata.creationTimestamp, status),
  ];
}

/** From this time, and from its last resumption or retry. */
function deadlines(
  seconds = NaN,
  from: string | undefined,
  { conditions = [] }: JobFlowStatus = {},
): readonly number[] {
  const turns = conditions.map(({ lastTransitionTime }) => lastTransitionTime);
  return [from, ...turns].map((time) => after(time, seconds * 1_000));
}

function statusWords(patch: JobFlowStatus, known: JobFlowStatus): readonly string[] {
  const { jobStatusList = [], conditions = [], ...rest } = patch;
  return [
    ...jobStatusList.flatMap((record) => recordWords(record, known)),
    ...conditionWords(conditions, known.conditions),
    ...fieldWords(rest),
  ];
}

function recordWords(record: StepRecord, { jobStatusList }: JobFlowStatus): readonly string[] {
  const { name, state, attempt, reason } = record;
  const was = jobStatusList?.find((other) => other.name === name);
  if (JSON.stringify(record) === JSON.stringify(was)) return [];
  return [`status of ${name}: ${[state, attempt, reason].join(' ').trim()}`];
}
