/** The state of one Job as its Pods show it: the problem that has lasted longest, and the latest failure. */
import { compareTexts } from './compare-texts.ts';
import type { KubeObject } from './objects.ts';
import type { JobCounts, ObservedPods } from './observed-job.ts';
import { podFailure } from './pod-failure.ts';
import { podReport } from './pod-status.ts';
import { podTrouble } from './pod-trouble.ts';
import { parseTime } from './time.ts';

export function observedPods(
  { active, failed }: JobCounts,
  pods: readonly KubeObject[],
): ObservedPods {
  const trouble = longestTrouble(pods);
  const failure = lastFailure(pods);
  const [leaving] = pods
    .filter(isLeaving)
    .map(({ metadata }) => metadata.name)
    .toSorted(compareTexts);
  return {
    active,
    failed,
    ...(failed > 0 && pods.length === 0 ? { areGone: true as const } : {}),
    ...(leaving === undefined ? {} : { leaving }),
    ...(trouble === undefined ? {} : { trouble }),
    ...(failure === undefined ? {} : { failure }),
  };
}

function isLeaving({ metadata, status }: KubeObject): boolean {
  const { phase = '' } = podReport(status);
  return metadata.deletionTimestamp !== undefined && !['Succeeded', 'Failed'].includes(phase);
}

/** Picks the same problem as long as it lasts, independent of the order of the list. */
function longestTrouble(pods: readonly KubeObject[]): ObservedPods['trouble'] {
  const troubles = pods.flatMap((pod) => {
    const trouble = podTrouble(pod);
    return trouble === undefined ? [] : [{ pod: pod.metadata.name, ...trouble }];
  });
  return troubles.toSorted((left, right) => earlier(left.since, right.since, left, right))[0];
}

function lastFailure(pods: readonly KubeObject[]): ObservedPods['failure'] {
  const failures = pods.flatMap((pod) => {
    const failure = podFailure(pod);
    return failure === undefined ? [] : [{ pod: pod.metadata.name, ...failure }];
  });
  return failures.toSorted((left, right) => earlier(left.at, right.at, left, right)).at(-1);
}

interface OfPod {
  readonly pod: string;
}

function earlier(
  left: string | undefined,
  right: string | undefined,
  { pod }: OfPod,
  { pod: other }: OfPod,
): number {
  const difference = (parseTime(left) ?? 0) - (parseTime(right) ?? 0);
  return difference === 0 ? compareTexts(pod, other) : difference;
}
