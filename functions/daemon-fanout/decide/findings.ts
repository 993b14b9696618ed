/** What each condition says of a DaemonJob. */
import type { Finding } from '#shared/domain/findings.ts';
import { listed } from '#shared/domain/wording.ts';
import { isSettled } from './entries.ts';
import { desiredOf, inState, type NodeRecord } from './nodes.ts';
import { refusedNodes } from './refusals.ts';
import type { ManualRetry } from './retry.ts';
import { isSuspended, type Situation } from './situation.ts';
import { noNodes, type Summary } from './summary.ts';

/** The reason of a condition whose template has fields that the cluster does not know. */
export const unknownField = 'UnknownField';

/** Told by the API server with the creation of a Job only, so it stays until the spec is another one. */
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

export function notAccepted(reason: string, message: string): Finding {
  return { type: 'Accepted', isTrue: false, reason, message };
}

export function nodesEligible(situation: Situation, records: readonly NodeRecord[]): Finding {
  const type = 'NodesEligible';
  const { reason, message = '' } = noNodes(situation, records);
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

const progressMessages = {
  Pending: 'no node has been started',
  Running: 'nodes are being worked on',
  Succeed: 'every node succeeded',
  Failed: 'the DaemonJob has failed',
  Suspended: 'nothing new starts',
  Terminating: 'the DaemonJob is being deleted',
} as const;

/** Of one that goes on with what it waits for beside its turns, if there is such a thing. */
export function progressing({ state, reason, message }: Summary): Finding {
  const waits = state === 'Running' || state === 'Pending';
  return {
    type: 'Progressing',
    isTrue: state === 'Running',
    reason: waits ? (reason ?? state) : state,
    message: (state === 'Running' ? message : undefined) ?? progressMessages[state],
  };
}

export function blocked(records: readonly NodeRecord[]): Finding {
  const [first] = refusedNodes(records);
  return {
    type: 'Blocked',
    onlyWhenKnown: true,
    isTrue: first !== undefined,
    reason: first?.reason ?? 'NotBlocked',
    message:
      first === undefined
        ? 'every requested Job was created'
        : [`node ${first.node.name}`, first.message].join(': '),
  };
}

export function nodeFailed(records: readonly NodeRecord[]): Finding {
  const names = inState(records, 'Failed', 'Cancelled').map(({ node }) => node.name);
  const hasFailed = names.length > 0;
  return {
    type: 'NodeFailed',
    onlyWhenKnown: true,
    isTrue: hasFailed,
    reason: hasFailed ? 'NodeFailed' : 'NoNodeFailed',
    message: hasFailed ? `failed: ${listed(names, 40)}` : 'failed nodes were started again',
  };
}

/** True when everything has stopped that is to stop. */
export function suspended(situation: Situation, { state, reason, message }: Summary): Finding {
  const type = 'Suspended';
  if (state !== 'Suspended') {
    const resumed = 'the DaemonJob is not suspended';
    return { type, onlyWhenKnown: true, isTrue: false, reason: 'Resumed', message: resumed };
  }
  return !isSuspended(situation) || isSettled(situation)
    ? { type, isTrue: true, reason: reason ?? 'Suspended', message: message ?? '' }
    : { type, isTrue: false, reason: 'Suspending', message: 'running Jobs are being stopped' };
}

/** What became of the retry that was asked for last; said when it is handled, and not touched afterwards. */
export function retryFinding({ isNew, refusal }: ManualRetry): readonly Finding[] {
  if (!isNew && refusal === undefined) return [];
  const isTrue = refusal !== undefined;
  const { reason, message } = refusal ?? { reason: 'Accepted', message: 'the retry is under way' };
  return [{ type: 'RetryRefused', onlyWhenKnown: true, isTrue, reason, message }];
}

export function endFindings(summary: Summary, records: readonly NodeRecord[]): readonly Finding[] {
  const isComplete = summary.state === 'Succeed';
  const hasFailed = summary.state === 'Failed';
  const count = desiredOf(records).length;
  return [
    {
      type: 'Complete',
      onlyWhenKnown: true,
      isTrue: isComplete,
      reason: isComplete ? 'AllNodesSucceeded' : 'NotComplete',
      message: isComplete ? `all ${count} nodes succeeded` : 'the DaemonJob is not complete',
    },
    {
      type: 'Failed',
      onlyWhenKnown: true,
      isTrue: hasFailed,
      reason: hasFailed ? (summary.reason ?? 'Failed') : 'Restarted',
      message: hasFailed ? (summary.message ?? 'failed') : 'the DaemonJob goes on',
    },
  ];
}
