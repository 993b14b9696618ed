/** What Kueue has admitted: so many nodes, and no more. */
import { inState, type NodeRecord } from './nodes.ts';
import type { Situation } from './situation.ts';

/** The reason of nodes beyond what was admitted. */
const notAdmitted = 'NotAdmitted';

/**
 * A node that comes while the quota is reserved is left out unless another one has left its place: quota for it was
 * never asked for. It is counted again for the next admission, after an eviction or a retry by hand.
 */
export function withinAdmission(
  { daemonJob }: Situation,
  records: readonly NodeRecord[],
): readonly NodeRecord[] {
  const [{ count } = {}] = daemonJob.spec.podSetInfos ?? [];
  if (count === undefined) return records;
  const taken = inState(records, 'Succeeded', 'Failed', 'Cancelled', 'Active').length;
  const waiting = inState(records, 'Waiting');
  const beyond = new Set(waiting.slice(Math.max(0, count - taken)));
  const message = `Kueue has admitted ${count} nodes, and this one came later; create another DaemonJob for it`;
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
