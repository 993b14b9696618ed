/** The promptness of DaemonJobs depends on these fields. */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import type { DaemonSnapshot } from '#functions/daemon-fanout/snapshot.ts';
import { judgedDaemonJobs } from '../daemons/model/daemon-model.ts';
import { ledgerOn } from '../daemons/model/ledger.ts';
import { merged } from '../model/plan-faults.ts';
import {
  after as timeAfter,
  conditionWords,
  fieldWords,
  heldBackFrom,
  type PromptKind,
} from './owed.ts';

/** Interval of progress writes from node to node, in milliseconds. */
const courseMs = 1_000;

export const promptDaemonJobs: PromptKind<DaemonSnapshot> = {
  judged: judgedDaemonJobs,
  concernedBy: ['nodes'],
  statusWords: (patch, known) => statusWords(patch, known),
  dueTimes: ({ daemonJob: { spec, status } }) => [
    ...heldBackFrom(status?.lastUpdateTime, courseMs),
    timeAfter(status?.completionTime, (spec.ttlSecondsAfterFinished ?? NaN) * 1_000),
    timeAfter(status?.startTime, (spec.activeDeadlineSeconds ?? NaN) * 1_000),
  ],
  isRefused: ({ daemonJob: { status } }) =>
    (status?.nodes ?? []).some(({ state }) => state === 'Blocked'),
};

/** Node by node, because counts and ledger change with each of them. */
function statusWords(patch: DaemonJobStatus, known: DaemonJobStatus): readonly string[] {
  const { nodes, ledger, conditions, ...rest } = patch;
  const shownNodes = (nodes ?? []).filter((entry) => {
    const was = known.nodes?.find(({ name }) => name === entry.name);
    return JSON.stringify(entry) !== JSON.stringify(was);
  });
  return [
    ...shownNodes.map(({ name, state, reason }) => `status of ${name}: ${state} ${reason ?? ''}`),
    ...(ledger === undefined ? [] : ledgerWords(patch, known)),
    ...conditionWords(conditions ?? [], known.conditions),
    ...fieldWords(rest).filter((words) => !/^status (active|desired|message|waiting)/.test(words)),
  ];
}

function ledgerWords(patch: DaemonJobStatus, known: DaemonJobStatus): readonly string[] {
  const before = ledgerOn({ status: known });
  const after = ledgerOn({ status: merged(known, { ledger: patch.ledger }) });
  return [...after].flatMap(([key, { state, attempt }]) => {
    const was = before.get(key);
    return was?.state === state && was.attempt === attempt
      ? []
      : [`ledger ${key} ${state} ${attempt}`];
  });
}
