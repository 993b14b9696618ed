/** The status that a decision wants, put together from its parts. */
import type { DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { annotationsFinding } from '#shared/api/annotation-faults.ts';
import { type Finding, observedGeneration, withFindings } from '#shared/domain/findings.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import { parseTime, rfc3339 } from '#shared/domain/time.ts';
import { countsOf, entriesOf, ledgerOf } from './entries.ts';
import {
  accepted,
  blocked,
  endFindings,
  nodeFailed,
  nodesEligible,
  progressing,
  retryFinding,
  suspended,
  unknownExcludedNode,
} from './findings.ts';
import { inState, type NodeRecord } from './nodes.ts';
import type { Situation } from './situation.ts';
import { isStarted, type Summary } from './summary.ts';

/** Jobs of machines that are gone. */
interface Orphans {
  readonly orphaned: readonly ObservedJob[];
  /** Those that are to come on record. */
  readonly untold: readonly ObservedJob[];
}

/** The status of a DaemonJob that is being run. */
export function runningStatus(
  situation: Situation,
  summary: Summary,
  records: readonly NodeRecord[],
  { orphaned, untold }: Orphans,
): DaemonJobStatus {
  const ledger = ledgerOf(situation, records, untold);
  const nodes = entriesOf(situation, records, orphaned);
  return {
    ...started(situation, records),
    ...ended(situation, summary, records),
    ...common(situation),
    ...summary,
    ...countsOf(records),
    ...(nodes === undefined ? {} : { nodes }),
    ...(ledger === undefined ? {} : { ledger }),
    conditions: nextConditions(situation, [
      accepted(situation),
      nodesEligible(situation, records),
      unknownExcludedNode(situation),
      progressing(summary),
      blocked(records),
      nodeFailed(records),
      suspended(situation, summary),
      ...endFindings(summary, records),
      ...retryFinding(situation.retry),
    ]),
  };
}

/** The status of one that ends without anything being started: it is invalid. */
export function refusedStatus(
  situation: Situation,
  finding: Finding,
  why: { readonly reason: string; readonly message: string },
): DaemonJobStatus {
  const summary = { state: 'Failed', ...why } as const;
  return {
    ...ended(situation, summary, []),
    ...common(situation),
    ...summary,
    conditions: nextConditions(situation, [
      finding,
      progressing(summary),
      ...endFindings(summary, []),
    ]),
  };
}

export function common({ daemonJob, retry }: Situation): DaemonJobStatus {
  return {
    ...observedGeneration(daemonJob.metadata.generation),
    ...(retry.nonce === undefined ? {} : { retryNonce: retry.nonce }),
  };
}

export function nextConditions(situation: Situation, findings: readonly Finding[]) {
  const { daemonJob, nowMs, status } = situation;
  const { generation } = daemonJob.metadata;
  const all = [...findings, annotationsFinding(daemonJob.metadata)];
  return withFindings(status.conditions ?? [], all, { nowMs, generation });
}

function started(situation: Situation, records: readonly NodeRecord[]): DaemonJobStatus {
  if (!isStarted(situation, records)) return {};
  const specHash = situation.status.specHash ?? situation.snapshot.specHash;
  return {
    startTime: startOf(situation),
    ...(specHash === undefined ? {} : { specHash }),
  };
}

/** The API server's time is told in whole seconds: so much is no difference. Milliseconds. */
const clockResolutionMs = 1_000;

/** No later than the first Job was created: a pass that created it may have ended before it could tell. */
function startOf({ status, snapshot, nowMs }: Situation): string {
  const known = status.startTime ?? rfc3339(nowMs);
  const created = snapshot.jobs.map(({ creationTimestamp = known }) => creationTimestamp);
  const [first = known] = created.toSorted();
  const isEarlier = (parseTime(first) ?? 0) < (parseTime(known) ?? 0) - clockResolutionMs;
  return isEarlier ? first : known;
}

function ended(
  situation: Situation,
  { state }: Summary,
  records: readonly NodeRecord[],
): DaemonJobStatus {
  if (state !== 'Succeed' && state !== 'Failed') return {};
  const { status, nowMs, retry } = situation;
  const wasOver = status.state === state && !retry.isNew ? status.completionTime : undefined;
  return { completionTime: wasOver ?? lastEnd(situation, records) ?? rfc3339(nowMs) };
}

/**
 * When the last node ended, if the end of one is seen only now: independent of when it was noticed.
 * Undefined: what ends the DaemonJob is not the end of a node.
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
