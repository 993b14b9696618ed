/** The conditions of a DaemonJob. */
import type { Finding } from '#shared/domain/findings.ts';
import { listed } from '#shared/domain/wording.ts';
import type { Standing } from '#shared/parents/conditions.ts';
import { isSettled } from './entries.ts';
import { desiredOf, failuresOf, type NodeRecord } from './nodes.ts';
import { refusedNodes } from './refusals.ts';
import { isSuspended, type Situation } from './situation.ts';
import { noNodes, type Summary } from './summary.ts';

/** Reason of a condition if the template has fields that the cluster does not know. */
export const unknownField = 'UnknownField';

/** The API server reports such fields only when it creates a Job, so the remark stays until the spec changes. */
export function accepted({ snapshot, status, daemonJob }: Situation): Finding {
  const type = 'Accepted';
  const [warning] = snapshot.warnings ?? [];
  if (warning !== undefined) {
    const message = `${warning.message}: the cluster left it out of the Jobs`;
    return { type, isTrue: true, reason: unknownField, message };
  }
  const known = status.conditions?.find((condition) => condition.type === type);
  const isSame = known?.observedGeneration === daemonJob.metadata.generation;
  return known?.reason === unknownField && isSame
    ? { type, isTrue: true, reason: unknownField, message: known.message }
    : { type, isTrue: true, reason: 'Valid', message: 'the DaemonJob can be run' };
}

export function nodesEligible(
  situation: Situation,
  { state }: Summary,
  records: readonly NodeRecord[],
): Finding {
  const type = 'NodesEligible';
  const { reason, message = '' } = noNodes(situation, state, records);
  return reason === undefined
    ? { type, isTrue: true, reason: 'Eligible', message: 'there are nodes that can run it' }
    : { type, isTrue: false, reason, message };
}

export function unknownExcludedNode({ excluded, snapshot }: Situation): Finding {
  const known = new Set(snapshot.nodes.map(({ name }) => name));
  const unknown = [...excluded].filter((name) => !known.has(name));
  return {
    type: 'UnknownExcludedNode',
    onlyWhenKnown: true,
    isTrue: unknown.length > 0,
    reason: unknown.length > 0 ? 'UnknownExcludedNode' : 'AllKnown',
    message:
      unknown.length > 0
        ? `excludeNodeList names no node of this cluster: ${listed(unknown, 40)}`
        : 'every excluded node is there',
  };
}

export function standingOf(
  situation: Situation,
  summary: Summary,
  records: readonly NodeRecord[],
): Standing {
  const { reason = '', message = '' } = summary;
  const [refused] = refusedNodes(records);
  return {
    summary,
    refused: refused && { ...refused, name: refused.node.name },
    failed: failuresOf(records).map(({ node }) => node.name),
    suspension: () => {
      const isStill = !isSuspended(situation) || isSettled(situation);
      return { reason, message, isSettled: isStill };
    },
    success: successOf(desiredOf(records).length),
  };
}

function successOf(desired: number): string {
  return desired === 1 ? 'its only node succeeded' : `all ${desired} nodes succeeded`;
}
