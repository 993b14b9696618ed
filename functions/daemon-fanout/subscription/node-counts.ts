/** The counts of nodes in the status of an ended DaemonJob, computed from the nodes and the ledger alone. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { isLedgerEnd, nodeKey, readLedger } from '#shared/api/node-ledger.ts';
import { excludedNodes } from '#shared/domain/excluded-nodes.ts';
import { ineligibility, unselected } from '#shared/domain/node-eligibility.ts';
import { nodeFacts } from '#shared/domain/node-facts.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';

export interface NodeCounts {
  /** Nodes that can run it and have not had their Job. */
  readonly open: number;
  readonly desired: number;
  readonly skipped: number;
}

export function countNodes(
  { spec, status }: Partial<Pick<DaemonJob, 'spec' | 'status'>>,
  nodes: Iterable<KubeObject>,
): NodeCounts {
  const ledger = readLedger(status?.ledger);
  const excluded = excludedNodes(spec?.excludeNodeList);
  const pod = (spec?.template.spec ?? {}) as JsonObject;
  const takesAll = spec?.eligibility === 'All';
  let [open, onRecord, skipped] = [0, 0, 0];
  for (const node of nodes) {
    const { name, uid } = node.metadata;
    const { state = 'Retired' } = ledger.get(nodeKey(uid)) ?? {};
    if (excluded.has(name) && !isLedgerEnd(state)) continue;
    if (state !== 'Retired') {
      onRecord += 1;
      continue;
    }
    const why = ineligibility(nodeFacts(node), pod, takesAll)?.reason;
    if (why === undefined) open += 1;
    else if (why !== unselected) skipped += 1;
  }
  return { open, desired: onRecord + open, skipped };
}
