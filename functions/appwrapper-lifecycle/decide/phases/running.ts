/** The resources exist: checks whether they are healthy, run, and have succeeded. */
import type { Decision } from '#shared/domain/decision.ts';
import { counted, listed } from '#shared/domain/wording.ts';
import { saysItsEnd } from '../../subscription/ends.ts';
import { createdAtMs, finished, hasSucceeded } from '../component-states.ts';
import { eventOf, fail, terminalExitOf, resetOrFail } from '../faults.ts';
import type { ObservedPod } from '../../snapshot.ts';
import { isMissing } from '../missing.ts';
import { type Change, event, found, moved, type News, noLonger } from '../outcome.ts';
import { noFailedPods, tooFewRun } from '../pod-news.ts';
import {
  conditionOf,
  type Decider,
  holds,
  isSuspended,
  type Part,
  sinceMs,
  type Situation,
  wordsOf,
} from '../situation.ts';
import {
  expectedOf,
  livePodsOf,
  podsOf,
  type Tally,
  tallyOf,
  tallyOfPart,
  tallyOfSilent,
} from '../tally.ts';
import { againMs, isHidden, whyUnreadable } from '../unreadable.ts';
import { suspend } from './suspending.ts';

export const running: Decider = (situation) => {
  if (isSuspended(situation)) return suspend(situation);
  return (
    whereSomethingIsMissing(situation) ??
    whereSomethingIsHidden(situation) ??
    whereAComponentFailed(situation) ??
    whereAllSucceeded(situation) ??
    wherePodsFailed(situation) ??
    whereNodesAreBroken(situation) ??
    whileItGoesOn(situation)
  );
};

/** A component that has succeeded may be removed. */
function whereSomethingIsMissing(situation: Situation): Decision | undefined {
  const missing = situation.parts.filter((part) => !hasSucceeded(part) && isMissing(part.observed));
  if (missing.length === 0) return undefined;
  const message = listed(missing.map(whyMissing), 3);
  return fail(situation, { reason: 'MissingComponent', message });
}

function whyMissing(part: Part): string {
  const { resource, isOthers } = part.observed;
  if (resource === undefined)
    return `${wordsOf(part)} is gone: the cluster no longer serves its kind`;
  if (isOthers) return `${wordsOf(part)} no longer has the AppWrapper as its controller`;
  return `somebody deleted ${wordsOf(part)}`;
}

/** Until Millrace may read it again, it is unknown whether it runs, has ended or is gone. */
function whereSomethingIsHidden(situation: Situation): Decision | undefined {
  const hidden = situation.parts.find((part) => isHidden(part) && !hasSucceeded(part));
  if (hidden === undefined) return undefined;
  const message = `${wordsOf(hidden)}: ${whyUnreadable(hidden)}`;
  const reason = 'UnreadableComponent';
  const isReported = conditionOf(situation, 'Unhealthy')?.reason === reason;
  const events = isReported ? [] : [eventOf(situation, { reason, message })];
  const news = [found('Unhealthy', true, reason, message)];
  const requeueAtMs = situation.nowMs + againMs;
  return moved(situation, reason, message, { news }, { events, requeueAtMs });
}

function whereAComponentFailed(situation: Situation): Decision | undefined {
  const failed = situation.parts.flatMap((part) => {
    const { end } = part.observed.object ?? {};
    if (end?.isSuccess !== false) return [];
    const pods = podsOf(situation, part).filter(({ phase }) => phase === 'Failed');
    const which = pods.length === 0 ? '' : `; ${listed(pods.map(failedWords), 3)}`;
    return [`${wordsOf(part)} failed: ${end.message}${which}`];
  });
  if (failed.length === 0) return undefined;
  const whyTerminal = terminalExitOf(situation, situation.snapshot.pods);
  return resetOrFail(situation, {
    reason: 'FailedComponent',
    message: listed(failed, 3),
    whyTerminal,
  });
}

/** Components that report their end have succeeded, the others have enough succeeded Pods, and no Pod runs. */
function whereAllSucceeded(situation: Situation): Decision | undefined {
  const { parts } = situation;
  if (parts.some((part) => saysItsEnd(part.recorded) && !hasSucceeded(part))) return undefined;
  const silent = tallyOfSilent(situation);
  const isLeft = situation.snapshot.pods.some(
    ({ phase }) => phase === 'Pending' || phase === 'Running',
  );
  if (silent.succeeded < silent.expected || silent.failed > 0 || isLeft) return undefined;
  const message = 'all its Pods have succeeded';
  const news = [
    found('QuotaReserved', false, 'Succeeded', message),
    found('ResourcesDeployed', true, 'Succeeded', message),
    found('Finished', true, 'Succeeded', message),
  ];
  return moved(situation, 'Succeeded', message, { phase: 'Succeeded', news });
}

function wherePodsFailed(situation: Situation): Decision | undefined {
  const { failed } = tallyOf(situation);
  if (failed === 0) return undefined;
  const { nowMs, settings, snapshot } = situation;
  const pods = snapshot.pods.filter(({ phase }) => phase === 'Failed');
  const message = `failed and not replaced: ${listed(pods.map(failedWords))}`;
  const sinceFaultMs = holds(situation, 'Unhealthy') ? sinceMs(situation, 'Unhealthy') : nowMs;
  const dueMs = sinceFaultMs + settings.failureGraceMs;
  if (nowMs < dueMs) {
    const news = [found('Unhealthy', true, 'FoundFailedPods', message)];
    return moved(situation, 'FoundFailedPods', message, { news }, { requeueAtMs: dueMs });
  }
  const whyTerminal = terminalExitOf(situation, pods);
  return resetOrFail(situation, { reason: 'FoundFailedPods', message, whyTerminal });
}

/** The Pod is soon deleted, and its exit codes with it. */
function failedWords({ name, exitCodes }: ObservedPod): string {
  if (exitCodes.length === 0) return `Pod ${name}`;
  const codes = [...new Set(exitCodes)].join(', ');
  return `Pod ${name} (exit code ${codes})`;
}

/** The node is at fault, so the reset is not counted. Exception: nothing keeps new Pods away from such nodes. */
function whereNodesAreBroken(situation: Situation): Decision | undefined {
  const words = situation.snapshot.pods.flatMap(({ name, isDeleting, brokenNode }) => {
    if (brokenNode === undefined || isDeleting) return [];
    const { name: node, resource, label } = brokenNode;
    return [`Pod ${name} uses ${resource} of node ${node}, which is labelled ${label}`];
  });
  if (words.length === 0) return undefined;
  const { keepsAway } = situation.rules.nodeHealth;
  return resetOrFail(situation, {
    reason: 'AutopilotNoExecute',
    message: listed(words, 3),
    ...(keepsAway ? { isOfNode: true } : {}),
  });
}

function whileItGoesOn(situation: Situation): Decision {
  const tally = tallyOf(situation);
  const ended = endedMeanwhile(situation);
  const excess = excessOf(situation);
  if (tally.running + tally.succeeded >= tally.expected) {
    const verbs = tally.expected === 1 ? 'runs or has succeeded' : 'run or have succeeded';
    const message = `${counted(tally.expected, 'Pod')} ${verbs}`;
    const news = [noFailedPods, excess, found('PodsReady', true, 'SufficientPodsReady', message)];
    const events = reportExcess(situation, excess);
    return moved(situation, 'SufficientPodsReady', message, { news, ...ended }, { events });
  }
  return whileTooFewRun(situation, tally, excess, ended);
}

/**
 * The grace starts when the last component is created, however long that took. It starts again when Pods stop running,
 * so that a replacement gets as much time as the first Pod.
 */
function whileTooFewRun(
  situation: Situation,
  tally: Tally,
  excess: News,
  ended: Pick<Change, 'components'>,
): Decision {
  const { nowMs, settings, rules } = situation;
  const areCreated = tally.pending + tally.running + tally.succeeded >= tally.expected;
  const graceMs = areCreated ? settings.warmupGraceMs : settings.admissionGraceMs;
  const notReadySinceMs =
    conditionOf(situation, 'PodsReady')?.status === 'False'
      ? sinceMs(situation, 'PodsReady')
      : nowMs;
  const deployedMs = sinceMs(situation, 'ResourcesDeployed');
  const createdMs = situation.parts.map((part) => createdAtMs(part) ?? deployedMs);
  const sinceEdgeMs = Math.max(deployedMs, notReadySinceMs, ...createdMs);
  const dueMs = (rules.isStrict ? deployedMs : sinceEdgeMs) + graceMs;
  if (nowMs >= dueMs) {
    const whyTerminal = terminalExitOf(situation, situation.snapshot.pods);
    const [why, which] = areCreated
      ? ['not all Pods run', situation.snapshot.pods.flatMap(pendingWords)]
      : ['Pods are missing', situation.parts.flatMap((part) => missingWords(situation, part))];
    const late = `${why} although the grace of ${graceMs / 1_000} s is over: ${listed(which, 3)}`;
    return resetOrFail(situation, { reason: 'InsufficientPodsReady', message: late, whyTerminal });
  }
  const waits = tooFewRun(tally.expected);
  const news = [noFailedPods, excess, waits];
  const around = { events: reportExcess(situation, excess), requeueAtMs: dueMs };
  return moved(situation, 'WaitsForPods', waits.message, { news, ...ended }, around);
}

/** The Pod is soon deleted, and what kept it from running is no longer shown by it. */
function pendingWords({ name, phase, trouble }: ObservedPod): readonly string[] {
  if (phase !== 'Pending') return [];
  return [trouble === undefined ? `Pod ${name} is Pending` : `Pod ${name} (${trouble})`];
}

function missingWords(situation: Situation, part: Part): readonly string[] {
  const { expected, pending, running, succeeded } = tallyOfPart(situation, part);
  const there = pending + running + succeeded;
  return there < expected ? [`${wordsOf(part)} has ${there} of ${expected} Pods`] : [];
}

/** Kueue reserved quota for the Pods that podSets declare. Pods under deletion do not count. */
function excessOf(situation: Situation): News {
  const words = situation.parts.flatMap((part) => {
    const allowed = expectedOf(part);
    const live = livePodsOf(situation, part);
    if (live <= allowed) return [];
    return [`${wordsOf(part)} has ${counted(live, 'Pod')}, its podSets say ${allowed}`];
  });
  if (words.length === 0) {
    return noLonger('PodsExceeded', 'PodsAsDeclared', 'no more Pods than the podSets say');
  }
  const message = `${listed(words, 3)}; there is no quota for the rest. Declare podSets that say how many there are`;
  return found('PodsExceeded', true, 'MorePodsThanDeclared', message);
}

/** Once, when the condition becomes true. */
function reportExcess(situation: Situation, { type, isTrue, message }: News) {
  const before = conditionOf(situation, type);
  if (!isTrue || before?.status === 'True') return [];
  const occurrence = `${type} ${before?.lastTransitionTime ?? ''}`;
  return [event(situation, 'Warning', type, message, occurrence)];
}

/** Records components that succeeded before the others: their own controllers may now remove them. */
function endedMeanwhile(situation: Situation): Pick<Change, 'components'> {
  const isNews = (part: Part): boolean => part.observed.object?.end?.isSuccess === true;
  if (!situation.parts.some(isNews)) return {};
  return {
    components: situation.parts.map((part) =>
      isNews(part) ? finished(situation, part) : part.recorded,
    ),
  };
}
