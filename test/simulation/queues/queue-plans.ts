/** Flows that wait in a queue of Kueue, as a seed decides them beforehand. */
import type { FlowPlan } from '../scenario.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** Of the LocalQueue, and of its ClusterQueue. */
export const queueName = 'main';

export const queuePriorities = { low: 1, high: 100 } as const;
export type QueuePriority = keyof typeof queuePriorities;

export interface QueuePlan {
  /** CPUs that the queue gives away at once; a Pod takes one. Enough for the largest flow. */
  readonly cpu: number;
}

/** What people do to Workloads and queues, and what becomes of the manager of Kueue. */
export const queueActions = [
  'workloadDeleted',
  'workloadDeactivated',
  'workloadActivated',
  'queueDrained',
  'queueReopened',
  'quotaCut',
  'quotaRestored',
  'kueueAway',
] as const;

export interface QueueAction {
  readonly kind: (typeof queueActions)[number];
  readonly atMs: number;
  /** Which Workload, or for how many seconds Kueue is away; taken modulo what there is. */
  readonly index: number;
}

export function isQueueAction(happening: { readonly kind: string }): happening is QueueAction {
  return (queueActions as readonly string[]).includes(happening.kind);
}

/** A run in which much waits takes long: the flows of such a scenario are short. */
const mostSteps = 4;

/** As the webhook stores what is created in a queue: suspended. */
export function queuedFlows(flows: readonly FlowPlan[], random: SeededRandom): readonly FlowPlan[] {
  const own = flows
    .filter(({ poison }) => poison !== true)
    .map((flow) => ({ ...flow, steps: flow.steps.slice(0, mostSteps) }));
  const [first] = own;
  if (first === undefined) return own;
  const more = Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) => ({
    ...first,
    name: `queued-${index}`,
    atMs: random.integer(0, 4_000),
    steps: first.steps.slice(0, random.integer(1, mostSteps)),
  }));
  return [...own, ...more].map((flow) => ({
    ...flow,
    suspend: true,
    queue: random.pick(['low', 'low', 'high'] as const),
  }));
}

export function queueOf(flows: readonly FlowPlan[], random: SeededRandom): QueuePlan {
  const largest = Math.max(...flows.map(({ steps }) => steps.length));
  return { cpu: largest + random.pick([0, 0, 1, largest]) };
}

export function queueActionsOf(random: SeededRandom, untilMs: number): readonly QueueAction[] {
  const lastMs = random.pick([untilMs, untilMs, 6_000]);
  const theme = random.pick([
    queueActions,
    ['workloadDeleted'],
    ['workloadDeactivated', 'workloadActivated'],
    ['queueDrained', 'queueReopened'],
    ['kueueAway', 'workloadDeleted', 'quotaCut', 'quotaRestored'],
  ] as const);
  return Array.from({ length: random.pick([0, 1, 2, 4, 8]) }, () => ({
    kind: random.pick<(typeof queueActions)[number]>(random.chance(0.3) ? queueActions : theme),
    atMs: random.integer(0, lastMs),
    index: random.integer(0, 7),
  }));
}
