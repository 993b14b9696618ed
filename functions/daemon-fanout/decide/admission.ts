/** Limits the nodes to the number that Kueue has admitted. */
import { childState } from '#shared/domain/child-state.ts';
import { counted } from '#shared/domain/wording.ts';
import { runOf } from '../run-of-job.ts';
import { inState, type NodeRecord } from './nodes.ts';
import type { Situation } from './situation.ts';

/** Reason of nodes beyond the admitted number. */
const notAdmitted = 'NotAdmitted';

/**
 * A node that appears after the admission is left out, since no quota was requested for it, unless another
 * node has freed its place. It counts for the next admission, after an eviction or a retry by hand. A node
 * that has succeeded frees no place, even if it is removed: its quota was returned.
 */
export function withinAdmission(
  situation: Situation,
  records: readonly NodeRecord[],
): readonly NodeRecord[] {
  const [{ count } = {}] = situation.daemonJob.spec.podSetInfos ?? [];
  if (count === undefined) return records;
  const taken =
    inState(records, 'Succeeded', 'Failed', 'Cancelled', 'Active').length +
    succeededAndRemoved(situation, records);
  const waiting = inState(records, 'Waiting');
  const beyond = new Set(waiting.slice(Math.max(0, count - taken)));
  const message = `Kueue has admitted ${counted(count, 'node')}, and this one came later; create another DaemonJob for it`;
  return records.map((record) =>
    beyond.has(record)
      ? {
          node: record.node,
          state: 'Skipped',
          attempt: record.attempt,
          reason: notAdmitted,
          message,
        }
      : record,
  );
}

/** By the ledger, and by Jobs whose success is not recorded yet. */
function succeededAndRemoved(
  { snapshot, retry }: Situation,
  records: readonly NodeRecord[],
): number {
  const onRecord = [...retry.ledger].flatMap(([key, { state }]) =>
    state === 'Succeeded' ? [key] : [],
  );
  const seen = snapshot.jobs.flatMap((job) =>
    childState(job, 'DaemonJob').kind === 'succeeded' ? [runOf(job).key] : [],
  );
  const succeeded = new Set([...onRecord, ...seen]);
  for (const { node } of records) succeeded.delete(node.key);
  return succeeded.size;
}
