/** From a seed to a scenario. */
import {
  type ClockPlan,
  type ClockPlans,
  clusterHappenings,
  type FlowPlan,
  type Happening,
  limitActions,
  type Scenario,
  type StepPlan,
  userActions,
} from './scenario.ts';
import { type AdditionsPlan, podPlans, troubles } from './pod-plans.ts';
import { SeededRandom } from './seeded-random.ts';
import { fleetActionsOf, fleetOf } from './daemons/daemon-plans.ts';
import { nightActionsOf, nightOf } from './policies/policy-plans.ts';
import { queueActionsOf } from './queues/queue-plans.ts';
import { queuedFlows, queueOf } from './queues/queued-flows.ts';
import { withWrappers } from './wrappers/with-wrappers.ts';
import { withElection } from './coincidences.ts';
import { withStories } from './stories.ts';
import {
  faultKinds,
  faultRates,
  type FaultSettings,
  kindsDrawnApart,
  kindsOfViews,
} from './world/faults.ts';
import { latencyProfiles } from './world/latency.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Names that steps use. */
export const templateNames = ['small', 'large'] as const;

/** The fixed parts of a scenario. */
export interface Shape {
  /** One flow of this many steps in each scenario. */
  readonly steps?: number;
}

export function randomScenario(seed: number, shape: Shape = {}): Scenario {
  const random = new SeededRandom(seed);
  const calmFromMs = random.pick([8_000, 15_000, 30_000]);
  const character = random.pick(['quiet', 'faults', 'faults', 'users', 'both', 'both'] as const);
  const layout = random.pick(['together', 'together', 'apart'] as const);
  const drawn: Scenario = {
    seed,
    layout,
    replicas: random.chance(0.5) ? 2 : 1,
    latency: random.pick(latencyProfiles),
    batchLimit: random.pick([1, 1, 1, 20]),
    concurrency: random.pick([1, 2, 4]),
    checksSchemas: random.chance(0.125),
    records: random.chance(0.125),
    flows: flowsOf(random.branch('flows'), shape),
    faults: character === 'quiet' || character === 'users' ? {} : faultsOf(random.branch('faults')),
    happenings: [
      ...(character === 'quiet' || character === 'users'
        ? []
        : clusterEventsOf(random.branch('cluster'), calmFromMs)),
      ...(character === 'quiet' || character === 'faults'
        ? []
        : userActionsOf(random.branch('users'), calmFromMs)),
    ].sort((left, right) => left.atMs - right.atMs),
    calmFromMs,
    ...clocksOf(random.branch('clocks')),
    ...templateTtlOf(random.branch('template ttl')),
    ...(random.branch('heartbeats').chance(0.25) ? { heartbeats: true as const } : {}),
  };
  const elected = withElection(drawn, random.branch('election'));
  const viewed = withViews(elected, random.branch('views'));
  const manned = withFleet(viewed, random.branch('fleet'), shape);
  const held = withNights(manned, random.branch('nights'), shape);
  const limited = withLimits(held, random.branch('limits'));
  if (shape.steps !== undefined) return limited;
  const queued = withQueues(
    withStories(limited, random.branch('stories')),
    random.branch('queues'),
  );
  return withWrappers(queued, random.branch('wrappers'));
}

/**
 * An object that is resumed by hand runs without quota until Millrace suspends it. A Job that a user suspended is
 * resumed in this way.
 */
const byHand: ReadonlySet<string> = new Set(['resume', 'suspendChild']);

/** In some scenarios the flows wait in a queue of Kueue. */
function withQueues(scenario: Scenario, random: SeededRandom): Scenario {
  if (scenario.nights !== undefined || !random.chance(0.1)) return scenario;
  const flows = queuedFlows(scenario.flows, random.branch('flows'));
  if (flows.length === 0) return scenario;
  const { calmFromMs } = scenario;
  const others = scenario.happenings.filter(({ kind }) => !byHand.has(kind));
  const actions = random.chance(0.7) ? queueActionsOf(random.branch('actions'), calmFromMs) : [];
  return {
    ...scenario,
    flows,
    queues: queueOf(flows, random.branch('plan')),
    happenings: [...others, ...actions].sort((left, right) => left.atMs - right.atMs),
  };
}

/** In some the flows have limits, which users change. */
function withLimits(scenario: Scenario, random: SeededRandom): Scenario {
  if (!random.chance(0.25)) return scenario;
  const { calmFromMs, flows, happenings } = scenario;
  if (random.chance(0.3)) return withMends(scenario, random.branch('mends'));
  const actions = random.chance(0.5) ? limitActionsOf(random.branch('actions'), calmFromMs) : [];
  return {
    ...scenario,
    flows: flows.map((flow) =>
      flow.poison === true || random.chance(0.3)
        ? flow
        : { ...flow, parallelism: random.pick([1, 1, 2, 3]) },
    ),
    happenings: [...happenings, ...actions].sort((left, right) => left.atMs - right.atMs),
  };
}

/** A short flow fails. Users correct it or a JobTemplate, and retry it at once or later. */
function withMends(scenario: Scenario, random: SeededRandom): Scenario {
  const { calmFromMs, happenings } = scenario;
  const [flow, ...others] = scenario.flows;
  if (flow === undefined || flow.poison === true) return scenario;
  const steps = flow.steps.slice(0, 3);
  const failing = random.integer(0, steps.length - 1);
  const corrections = [
    ['mend'],
    ['mend', 'mend'],
    ['editTemplate'],
    ['mend', 'editTemplate'],
  ] as const;
  const acts = Array.from({ length: 3 }, (): readonly Happening[] => {
    let atMs = random.integer(1_000, Math.max(2_000, calmFromMs - 4_000));
    return [...random.pick(corrections), 'retry' as const].map((kind) => {
      const act = { kind, atMs, flow: 0, choice: random.integer(0, 5) };
      atMs += random.pick([20, 300, 1_500]);
      return act;
    });
  });
  return {
    ...scenario,
    flows: [
      {
        ...flow,
        steps: steps.map((step, index) => {
          const runMs = Math.min(step.runMs, 500);
          return index === failing
            ? { ...step, runMs, failures: 1, retries: 0 }
            : { ...step, runMs };
        }),
      },
      ...others.slice(0, 1),
    ],
    happenings: [...happenings, ...acts.flat()].sort((left, right) => left.atMs - right.atMs),
  };
}

function limitActionsOf(random: SeededRandom, untilMs: number): readonly Happening[] {
  const lastMs = random.pick([untilMs, 5_000]);
  return Array.from({ length: random.pick([1, 2, 3, 4]) }, () => ({
    kind: random.pick([...limitActions, 'expireChild', 'mend', 'retry', 'editTemplate'] as const),
    atMs: random.integer(0, lastMs),
    flow: random.integer(0, 1),
    choice: random.integer(0, 7),
  }));
}

/** Some have DaemonJobs beside their flows, at the same cost again. */
function withFleet(scenario: Scenario, random: SeededRandom, { steps }: Shape): Scenario {
  if (steps !== undefined || !random.chance(0.2)) return scenario;
  const actions = random.chance(0.7)
    ? fleetActionsOf(random.branch('actions'), scenario.calmFromMs)
    : [];
  return {
    ...scenario,
    fleet: fleetOf(random.branch('plans')),
    happenings: [...scenario.happenings, ...actions].sort((left, right) => left.atMs - right.atMs),
  };
}

/** In some there are suspend policies, and Jobs without a flow. */
function withNights(scenario: Scenario, random: SeededRandom, { steps }: Shape): Scenario {
  if (steps !== undefined || !random.chance(0.15)) return scenario;
  const { calmFromMs, happenings } = scenario;
  const actions = random.chance(0.7) ? nightActionsOf(random.branch('actions'), calmFromMs) : [];
  return {
    ...scenario,
    nights: nightOf(random.branch('plans'), calmFromMs),
    happenings: [...happenings, ...actions].sort((left, right) => left.atMs - right.atMs),
  };
}

/** Functions that run apart usually have a key, and so views. */
function withViews(scenario: Scenario, random: SeededRandom): Scenario {
  if (scenario.layout !== 'apart' || random.chance(0.3)) return scenario;
  const isFaulty = Object.keys(scenario.faults).length > 0 && random.chance(0.5);
  const rate = random.pick([0.3, 1, 2]);
  const faults = kindsOfViews.map((kind) => [kind, { rate: faultRates[kind] * rate }] as const);
  return {
    ...scenario,
    storedViews: true,
    ...(isFaulty ? { faults: { ...scenario.faults, ...Object.fromEntries(faults) } } : {}),
  };
}

/** In half of the runs some clocks are wrong: by seconds, minutes or an hour, or too fast or slow. */
function clocksOf(random: SeededRandom): { readonly clocks?: ClockPlans } {
  if (random.chance(0.5)) return {};
  const server = clockOf(random);
  // The controllers are usually on the server's machine.
  const controllers = random.chance(0.7) ? server : clockOf(random);
  const processes = Array.from({ length: 6 }, () => clockOf(random));
  return { clocks: { processes, server, controllers, store: clockOf(random) } };
}

function clockOf(random: SeededRandom): ClockPlan {
  const farthestMs = random.pick([0, 100, 5_000, 10 * minuteMs, hourMs]);
  const fastestPpm = random.pick([0, 200, 200, 200, 30_000]);
  return {
    offsetMs: random.integer(-farthestMs, farthestMs),
    driftPpm: random.integer(-fastestPpm, fastestPpm),
  };
}

function templateTtlOf(random: SeededRandom): Pick<Scenario, 'templateTtlSeconds'> {
  return random.chance(0.4) ? { templateTtlSeconds: random.pick([0, 2]) } : {};
}

function flowsOf(random: SeededRandom, { steps }: Shape): readonly FlowPlan[] {
  if (steps !== undefined) return [flowOf('etl', random.branch('etl'), steps)];
  const names = random.pick([['etl'], ['etl'], ['etl'], ['etl', 'etl-load']]);
  const flows = names.map((name) => flowOf(name, random.branch(name)));
  if (!random.chance(0.04)) return flows;
  return [...flows, { name: 'poison', atMs: 0, steps: [], poison: true }];
}

function flowOf(name: string, random: SeededRandom, wanted?: number): FlowPlan {
  const size = wanted ?? random.pick([1, 2, 3, 4, 5, 5, 5, 5, 5, 6, 7, 8]);
  const steps: StepPlan[] = [];
  for (let index = 0; index < size; index += 1) {
    steps.push(
      stepOf(
        `s${index}`,
        random,
        steps.map((step) => step.name),
      ),
    );
  }
  return {
    name,
    atMs: random.pick([0, 0, random.integer(0, 3_000)]),
    steps,
    ...(random.chance(0.3)
      ? { failurePolicy: random.pick(['FailFast', 'CancelRunning'] as const) }
      : {}),
    ...(random.chance(0.3) ? { templatePolicy: 'ResolveAtStep' as const } : {}),
    ...(random.chance(0.3) ? { suspendMode: 'SchedulingOnly' as const } : {}),
    ...(random.chance(0.1) ? { suspend: true } : {}),
    ...(random.chance(0.1) ? { ttlSeconds: random.integer(0, 20) } : {}),
    ...deadlineOf(random.branch('deadline')),
    ...additionsOf(random.branch('additions')),
  };
}

function deadlineOf(random: SeededRandom): Pick<FlowPlan, 'startDeadlineSeconds'> {
  return random.chance(0.1) ? { startDeadlineSeconds: random.pick([2, 10, 60]) } : {};
}

function additionsOf(random: SeededRandom): Pick<FlowPlan, 'adds'> {
  if (random.chance(0.7)) return {};
  const adds: AdditionsPlan = {
    ...(random.chance(0.5) ? { env: true } : {}),
    ...(random.chance(0.5) ? { metadata: true } : {}),
    ...(random.chance(0.5) ? { volumes: true } : {}),
    ...(random.chance(0.5)
      ? { node: random.pick(['Affinity', 'default', 'default', 'Direct'] as const) }
      : {}),
  };
  return { adds };
}

function podOf(random: SeededRandom): Pick<StepPlan, 'pod'> {
  return random.chance(0.3) ? { pod: random.pick(podPlans) } : {};
}

/** The problems of its Pods. */
function storyOf(random: SeededRandom): Pick<StepPlan, 'trouble' | 'exitCode'> {
  return {
    ...(random.chance(0.06)
      ? { trouble: { kind: random.pick(troubles), forMs: random.pick([500, 5_000, 12_000]) } }
      : {}),
    ...(random.chance(0.15) ? { exitCode: random.pick([1, 3, 137]) } : {}),
  };
}

function stepOf(name: string, random: SeededRandom, earlier: readonly string[]): StepPlan {
  const after = random.shuffled(earlier).slice(0, random.pick([0, 1, 1, 2, 3]));
  return {
    name,
    after,
    failures: random.pick([0, 0, 0, 0, 0, 1, 2, 3]),
    retries: random.pick([0, 0, 1, 2]),
    backoffSeconds: random.pick([0, 1, 4]),
    ...waitsOf(random.branch(`waits of ${name}`)),
    runMs: random.pick([
      0,
      random.integer(1, 500),
      random.integer(500, 6_000),
      random.integer(500, 6_000),
    ]),
    ...(random.chance(0.25) ? { ttlSeconds: random.pick([0, 0, 2]) } : {}),
    ...(random.chance(0.25) ? { template: random.pick(templateNames) } : {}),
    ...(after.length > 0 && random.chance(0.15) ? { startOn: 'SuccessCriteriaMet' as const } : {}),
    ...podOf(random.branch(`pod of ${name}`)),
    ...storyOf(random.branch(`story of ${name}`)),
  };
}

function waitsOf(random: SeededRandom): Pick<StepPlan, 'factor' | 'capSeconds'> {
  return random.chance(0.2) ? { factor: random.pick([1, 3]), capSeconds: random.pick([1, 3]) } : {};
}

/** Some kinds of faults, in some runs all of them, each at a strength of this seed. */
function faultsOf(random: SeededRandom): FaultSettings {
  const share = random.pick([0.1, 0.25, 0.5, 1]);
  const strength = random.pick([0.3, 1, 1, 2]) * (share < 0.5 ? 1.5 : 0.6);
  const apart = [...kindsDrawnApart, ...kindsOfViews];
  const earlier = faultKinds.filter((kind) => !apart.includes(kind));
  const kinds = [
    ...random.some(earlier, share),
    ...random.branch('apart').some(kindsDrawnApart, share),
  ];
  return Object.fromEntries(
    kinds.map((kind) => [kind, { rate: Math.min(1, faultRates[kind] * strength) }]),
  );
}

function clusterEventsOf(random: SeededRandom, untilMs: number): readonly Happening[] {
  const count = random.pick([0, 1, 2, 3, 5]);
  const events = Array.from({ length: count }, (_, index) =>
    clusterEventOf(random.branch(`event ${index}`), untilMs),
  );
  return events;
}

function clusterEventOf(random: SeededRandom, untilMs: number): Happening {
  const kind = random.pick([...clusterHappenings, 'crash', 'crash', 'pause'] as const);
  const atMs = random.integer(0, untilMs);
  const process = random.integer(0, 5);
  switch (kind) {
    case 'crash':
      return { kind, atMs, process, awayMs: random.pick([100, 1_000, 10_000]) };
    case 'pause':
      return { kind, atMs, process, forMs: random.pick([500, 6_000, 20_000]) };
    case 'rollout':
      return { kind, atMs, process };
    case 'clockJump':
      return { kind, atMs, process, byMs: random.pick([-hourMs, hourMs, -30_000, 30_000]) };
    case 'serverClockJump':
    case 'controllersClockJump':
      return { kind, atMs, byMs: random.pick([-hourMs, hourMs, -30_000, 30_000]) };
    case 'flushAll':
    case 'compaction':
    case 'nodeLost':
      return { kind, atMs };
    case 'controllersAway':
      return { kind, atMs, forMs: random.pick([2_000, 15_000]) };
  }
}

function userActionsOf(random: SeededRandom, untilMs: number): readonly Happening[] {
  const count = random.pick([1, 2, 3, 5, 8]);
  // Most flows run for some seconds only.
  const lastMs = random.pick([untilMs, 5_000, 2_000]);
  // Related faults, and some others.
  const theme = random.pick([
    userActions,
    ['suspend', 'resume', 'editAllowed'],
    ['suspend', 'resume'],
    ['retry', 'deleteChild', 'retry', 'editAllowed'],
    ['recreateLingering', 'releaseLingering', 'recreateFlow'],
  ] as const);
  return Array.from({ length: count }, () => ({
    kind: random.pick<(typeof userActions)[number]>(random.chance(0.3) ? userActions : theme),
    atMs: random.integer(0, lastMs),
    flow: random.integer(0, 1),
    choice: random.integer(0, 7),
  }));
}
