/** Builds the status that a decision wants. */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import type { Finding } from '#shared/domain/findings.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import {
  courseFindings,
  lookedAt,
  nextConditions,
  unstartedFindings,
} from '#shared/parents/conditions.ts';
import { retryFinding } from '#shared/parents/manual-retry.ts';
import { ended, startOf } from '#shared/parents/start-and-end.ts';
import { countsOf, entriesOf, ledgerOf } from './entries.ts';
import { accepted, nodesEligible, standingOf, unknownExcludedNode } from './findings.ts';
import { inState, type NodeRecord } from './nodes.ts';
import type { Situation } from './situation.ts';
import { isStarted, type Summary } from './summary.ts';
import { daemonJobWords } from './words.ts';

/** Jobs of removed machines. */
interface Orphans {
  readonly orphaned: readonly ObservedJob[];
  /** Jobs that have to be recorded before they are deleted. */
  readonly unrecorded: readonly ObservedJob[];
}

/** The status of a running DaemonJob. */
export function runningStatus(
  situation: Situation,
  summary: Summary,
  records: readonly NodeRecord[],
  { orphaned, unrecorded }: Orphans,
): DaemonJobStatus {
  const ledger = ledgerOf(situation, records, unrecorded);
  const nodes = entriesOf(situation, records, orphaned);
  return {
    ...started(situation, records),
    ...endedAt(situation, summary, records),
    ...lookedAt(situation.daemonJob, situation.retry),
    ...summary,
    ...countsOf(records),
    ...(nodes === undefined ? {} : { nodes }),
    ...(ledger === undefined ? {} : { ledger }),
    conditions: nextConditions(situation.daemonJob, situation.nowMs, [
      accepted(situation),
      nodesEligible(situation, summary, records),
      unknownExcludedNode(situation),
      ...courseFindings(daemonJobWords, standingOf(situation, summary, records)),
      ...retryFinding(situation.retry),
    ]),
  };
}

/** The status of a DaemonJob that ends before any Job was created: it is invalid. */
export function refusedStatus(
  situation: Situation,
  finding: Finding,
  why: { readonly reason: string; readonly message: string },
): DaemonJobStatus {
  const summary = { state: 'Failed', ...why } as const;
  return {
    ...endedAt(situation, summary, []),
    ...lookedAt(situation.daemonJob, situation.retry),
    ...summary,
    conditions: nextConditions(situation.daemonJob, situation.nowMs, [
      finding,
      ...unstartedFindings(daemonJobWords, summary),
    ]),
  };
}

function started(situation: Situation, records: readonly NodeRecord[]): DaemonJobStatus {
  if (!isStarted(situation, records)) return {};
  const { status, snapshot, nowMs } = situation;
  const specHash = status.specHash ?? snapshot.specHash;
  return {
    startTime: startOf(status, snapshot.jobs, nowMs),
    ...(specHash === undefined ? {} : { specHash }),
  };
}

function endedAt(
  situation: Situation,
  { state }: Summary,
  records: readonly NodeRecord[],
): DaemonJobStatus {
  const { status, nowMs, retry } = situation;
  const end = { state, isRetried: retry.isNew };
  return ended(status, end, nowMs, () => lastEnd(situation, records));
}

/**
 * When the last node ended, independent of when that was noticed. Undefined: the end of a node is not what
 * ends the DaemonJob now.
 */
function lastEnd({ retry }: Situation, records: readonly NodeRecord[]): string | undefined {
  const over = inState(records, 'Succeeded', 'Failed', 'Cancelled');
  const isNews = over.some(
    ({ node, state, completionTime }) =>
      completionTime !== undefined && retry.ledger.get(node.key)?.state !== state,
  );
  const times = over.flatMap(({ completionTime }) => completionTime ?? []);
  return isNews ? times.toSorted().at(-1) : undefined;
}
