/** Flows in a queue of Kueue, as a seed chooses them in advance. */
import type { SeededRandom } from '../seeded-random.ts';

/** Name of the LocalQueue and of its ClusterQueue. */
export const queueName = 'main';

export const queuePriorities = { low: 1, high: 100 } as const;
export type QueuePriority = keyof typeof queuePriorities;

export interface QueuePlan {
  /** CPUs of the queue's quota; a Pod takes one. Enough for the largest flow. */
  readonly cpu: number;
}

/** Users' actions on Workloads and queues, and outages of Kueue's manager. */
export const queueActions = [
  'workloadDeleted',
  'workloadDeactivated',
  'workloadActivated',
  'queueDrained',
  'queueReopened',
  'quotaCut',
  'quotaRestored',
  'kueueAway',
  'queueLeft',
] as const;

export interface QueueAction {
  readonly kind: (typeof queueActions)[number];
  readonly atMs: number;
  /** Index of the Workload or of the suspended owner, or seconds of Kueue's outage; modulo their number. */
  readonly index: number;
}

export function isQueueAction(happening: { readonly kind: string }): happening is QueueAction {
  return (queueActions as readonly string[]).includes(happening.kind);
}

export function queueActionsOf(random: SeededRandom, untilMs: number): readonly QueueAction[] {
  const lastMs = random.pick([untilMs, untilMs, 6_000]);
  const theme = random.pick([
    queueActions,
    ['workloadDeleted'],
    ['workloadDeactivated', 'workloadActivated'],
    ['queueDrained', 'queueReopened'],
    ['kueueAway', 'workloadDeleted', 'quotaCut', 'quotaRestored'],
    ['queueLeft', 'workloadDeleted', 'queueDrained', 'queueReopened'],
  ] as const);
  return Array.from({ length: random.pick([0, 1, 2, 4, 8]) }, () => ({
    kind: random.pick<(typeof queueActions)[number]>(random.chance(0.3) ? queueActions : theme),
    atMs: random.integer(0, lastMs),
    index: random.integer(0, 7),
  }));
}
