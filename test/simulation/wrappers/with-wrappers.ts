/** Some scenarios have AppWrappers beside a flow, and some of these wait in a queue of Kueue. */
import { queuePriorities, queueActionsOf, type QueuePlan } from '../queues/queue-plans.ts';
import type { Scenario } from '../scenario.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { wrapperActionsOf, wrapperPlans, type WrapperPlan } from './wrapper-plans.ts';

/** The flow beside them is short, so that AppWrappers do not make a run longer. */
const mostSteps = 3;

export function withWrappers(scenario: Scenario, random: SeededRandom): Scenario {
  if (scenario.nights !== undefined || !random.chance(0.1)) return scenario;
  const { calmFromMs, flows } = scenario;
  const drawn = wrapperPlans(random.branch('plans'));
  const isQueued = scenario.queues !== undefined || random.branch('queue').chance(0.3);
  const wrappers = isQueued ? drawn.map((plan) => queued(plan, random.branch(plan.name))) : drawn;
  const actions = random.chance(0.7) ? wrapperActionsOf(random.branch('actions'), calmFromMs) : [];
  const ofQueues =
    isQueued && scenario.queues === undefined && random.chance(0.6)
      ? queueActionsOf(random.branch('queue actions'), calmFromMs)
      : [];
  return {
    ...scenario,
    flows: flows.slice(0, 1).map((flow) => ({ ...flow, steps: flow.steps.slice(0, mostSteps) })),
    wrappers,
    ...(isQueued ? { queues: queueFor(wrappers, scenario.queues) } : {}),
    happenings: [...scenario.happenings, ...actions, ...ofQueues].sort(
      (left, right) => left.atMs - right.atMs,
    ),
  };
}

/**
 * Suspended, as the webhook stores objects in a queue. An AppWrapper without Pods requests no quota.
 */
function queued(plan: WrapperPlan, random: SeededRandom): WrapperPlan {
  if (podsOf(plan) === 0) return plan;
  const priorities = Object.keys(queuePriorities) as (keyof typeof queuePriorities)[];
  return { ...plan, queue: random.pick(priorities) };
}

function queueFor(wrappers: readonly WrapperPlan[], known: QueuePlan | undefined): QueuePlan {
  return { cpu: Math.max(known?.cpu ?? 1, ...wrappers.map(podsOf)) };
}

function podsOf({ parts }: WrapperPlan): number {
  return parts.filter(({ kind }) => kind === 'Pod' || kind === 'Job').length;
}
