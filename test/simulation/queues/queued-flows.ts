/** Puts the flows of a scenario into a queue, and gives the queue its quota. */
import type { FlowPlan } from '../scenario.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { QueuePlan } from './queue-plans.ts';

/** Waiting makes a run long, so the flows of such a scenario are short. */
const mostSteps = 4;
/** News of a running flow is written every ten seconds at most, and shorter steps have ended by then. Milliseconds. */
const longRun = { least: 11_000, most: 20_000 };

/** Suspended, as the webhook stores objects in a queue. */
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
    steps: withLongRuns(flow.steps, random.branch(`long runs of ${flow.name}`)),
  }));
}

function withLongRuns(steps: FlowPlan['steps'], random: SeededRandom): FlowPlan['steps'] {
  if (!random.chance(0.25)) return steps;
  return steps.map((step) =>
    random.chance(0.5) ? { ...step, runMs: random.integer(longRun.least, longRun.most) } : step,
  );
}

export function queueOf(flows: readonly FlowPlan[], random: SeededRandom): QueuePlan {
  const largest = Math.max(...flows.map(({ steps }) => steps.length));
  return { cpu: largest + random.pick([0, 0, 1, largest]) };
}
