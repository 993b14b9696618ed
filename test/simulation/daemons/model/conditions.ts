/** The expected conditions of a DaemonJob. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { holdWords } from '../../model/held.ts';
import { conditionOf, hasEnded, jobParts } from '../../model/job-fate.ts';
import type { Finding, Findings } from '../../model/predicted-conditions.ts';
import { type Course, noNodes } from './course.ts';
import { excludedBy } from './eligible-nodes.ts';
import type { DaemonLook } from './look.ts';
import { among, desired, isRefused, type NodeState } from './node-states.ts';

/** Most names that fit into a message. */
const mostNames = 40;

export function findingsOf(
  look: DaemonLook,
  nodes: readonly NodeState[],
  course: Course,
): Findings {
  const refused = nodes.find(isRefused);
  const failed = among(nodes, 'Failed', 'Cancelled').map(({ node }) => node.metadata.name);
  const { reason, mentions } = noNodes(nodes);
  const there = new Set(look.nodes.map(({ metadata }) => metadata.name));
  const excluded = [...excludedBy(look.daemonJob.spec)];
  const unknown = excluded.filter((name) => !there.has(name));
  return {
    Accepted: accepted(look),
    NodesEligible:
      reason === undefined
        ? { isTrue: true, reason: 'Eligible' }
        : { isTrue: false, reason, mentions: mentions ?? [] },
    UnknownExcludedNode: {
      ...either(unknown, 'UnknownExcludedNode', 'AllKnown'),
      omits: excluded.filter((name) => there.has(name)),
    },
    Blocked:
      refused === undefined
        ? { isTrue: false, reason: 'NotBlocked' }
        : { isTrue: true, reason: refused.reason ?? '', mentions: [refused.node.metadata.name] },
    NodeFailed: either(failed, 'NodeFailed', 'NoNodeFailed'),
    Suspended: suspended(look, course),
    ...endFindings(course, desired(nodes).length),
  };
}

function either(names: readonly string[], some: string, none: string): Finding {
  const isTrue = names.length > 0;
  return { isTrue, reason: isTrue ? some : none, mentions: names.slice(0, mostNames) };
}

/** Warnings about unknown fields come only with a create, so they are kept. */
function accepted({ daemonJob, isWarned }: DaemonLook): Finding {
  const known = daemonJob.status?.conditions?.find(({ type }) => type === 'Accepted');
  const isSame = known?.observedGeneration === daemonJob.metadata.generation;
  const isLost = isWarned || (isSame && known?.reason === 'UnknownField');
  return { isTrue: true, reason: isLost ? 'UnknownField' : 'Valid' };
}

/** True when everything has stopped that should stop; paused parts continue. */
function suspended({ daemonJob, jobs }: DaemonLook, { state, reason }: Course): Finding {
  if (state !== 'Suspended') return { isTrue: false, reason: 'Resumed' };
  const hasSettled = jobs.every((job) => {
    const { spec, status } = jobParts(job);
    const hasStopped = status.startTime === undefined || conditionOf(job, 'Suspended');
    return hasEnded(job) || (spec.suspend === true && hasStopped);
  });
  return stops(daemonJob) && !hasSettled
    ? { isTrue: false, reason: 'Suspending' }
    : { isTrue: true, reason: reason ?? '', ...holdWordsOf(daemonJob, reason) };
}

function holdWordsOf({ metadata }: DaemonJob, reason: string | undefined) {
  return reason === 'HeldByPolicy' ? holdWords(metadata) : {};
}

export function stops({ spec }: DaemonJob): boolean {
  return spec.suspend === true;
}

export function endFindings({ state, reason, mentions }: Course, count: number): Findings {
  const [isComplete, isFailed] = [state === 'Succeed', state === 'Failed'];
  return {
    Progressing: {
      isTrue: state === 'Running',
      reason: ['Pending', 'Running'].includes(state) ? (reason ?? state) : state,
    },
    Complete: {
      isTrue: isComplete,
      reason: isComplete ? 'AllNodesSucceeded' : 'NotComplete',
      mentions: isComplete ? [count === 1 ? 'its only node' : `all ${count} nodes`] : [],
    },
    Failed: {
      isTrue: isFailed,
      reason: isFailed ? (reason ?? '') : 'Restarted',
      mentions: isFailed ? (mentions ?? []) : [],
    },
  };
}
