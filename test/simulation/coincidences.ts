/**
 * Elections, and pairs of faults. Every part was written for single faults; the second of a pair
 * meets the incomplete work of the first.
 */
import type { Happening, Scenario } from './scenario.ts';
import type { SeededRandom } from './seeded-random.ts';
import { electionTimes } from './world/simulated-election.ts';

/** The scenario with its seed's election and coincidences. */
export function withElection(scenario: Scenario, random: SeededRandom): Scenario {
  const elects = random.chance(scenario.replicas === 2 ? 0.6 : 0.15);
  const elected: Scenario = elects ? { ...scenario, elects } : scenario;
  if (!isDisturbed(scenario) || !random.branch('twos').chance(0.35)) return elected;
  return withCoincidence(elected, random.branch('coincidence'));
}

function isDisturbed({ faults, happenings }: Scenario): boolean {
  return Object.keys(faults).length + happenings.length > 0;
}

function withCoincidence(scenario: Scenario, random: SeededRandom): Scenario {
  const themes = scenario.elects === true ? [...ofHolders, ...ofStores] : ofStores;
  const atMs = random.integer(1_000, Math.max(8_000, scenario.calmFromMs - 5_000));
  const added = random.pick(themes)(atMs, random);
  const untilMs = Math.max(...added.map(endOf));
  return {
    ...scenario,
    happenings: [...scenario.happenings, ...added].sort((left, right) => left.atMs - right.atMs),
    calmFromMs: Math.max(scenario.calmFromMs, untilMs + 2_000),
  };
}

function endOf(happening: Happening): number {
  return happening.atMs + ('forMs' in happening ? happening.forMs : 0);
}

type Theme = (atMs: number, random: SeededRandom) => readonly Happening[];

const { leaseMs } = electionTimes;

const ofHolders: readonly Theme[] = [
  // The holder dies while the API server is slow.
  (atMs, random) => [
    late(Math.max(0, atMs - random.integer(0, 4_000)), random),
    { kind: 'holderCrash', atMs, awayMs: random.pick([100, 5_000, 30_000]) },
  ],
  // The holder sleeps longer than its lease lasts, and its answers are slow.
  (atMs, random) => [
    late(Math.max(0, atMs - random.integer(0, 4_000)), random),
    { kind: 'holderPause', atMs, forMs: leaseMs + random.integer(-3_000, 8_000) },
  ],
  // The stores lose everything while no bridge leads or the next one has just begun.
  (atMs, random) => [
    { kind: 'holderCrash', atMs, awayMs: random.pick([5_000, 30_000]) },
    { kind: 'flushAll', atMs: atMs + random.integer(leaseMs - 4_000, leaseMs + 8_000) },
  ],
  // The stores do not answer while the next leader publishes everything again.
  (atMs, random) => [
    { kind: 'holderCrash', atMs, awayMs: random.pick([5_000, 30_000]) },
    outage(atMs + random.integer(leaseMs - 2_000, leaseMs + 6_000), random.integer(4_000, 15_000)),
  ],
  (atMs, random) => [
    outage(atMs, random.integer(8_000, 25_000)),
    {
      kind: 'holderPause',
      atMs: atMs + random.integer(0, 4_000),
      forMs: random.pick([2_000, leaseMs + 2_000, 20_000]),
    },
  ],
];

const ofStores: readonly Theme[] = [
  // Longer than a process may run without progress.
  (atMs, random) => [
    outage(atMs, random.integer(46_000, 70_000)),
    { kind: 'clockJump', atMs: atMs + 20_000, process: random.integer(0, 5), byMs: 3_600_000 },
  ],
  (atMs, random) => [
    outage(atMs, random.integer(4_000, 20_000)),
    {
      kind: 'pause',
      atMs: atMs + random.integer(0, 3_000),
      process: random.integer(0, 5),
      forMs: random.pick([6_000, 20_000]),
    },
  ],
  (atMs, random) => [
    outage(atMs, random.integer(4_000, 20_000)),
    { kind: 'flushAll', atMs: atMs + random.integer(0, 20_000) },
  ],
  (atMs, random) => [
    late(atMs, random),
    {
      kind: random.pick(['crash', 'rollout'] as const),
      atMs: atMs + random.integer(0, 4_000),
      process: random.integer(0, 5),
      awayMs: random.pick([100, 5_000]),
    },
  ],
];

function late(atMs: number, random: SeededRandom): Happening {
  const byMs = random.pick([1_500, 4_000, 8_000]);
  return { kind: 'lateAnswers', atMs, forMs: random.integer(5_000, 20_000), byMs };
}

function outage(atMs: number, forMs: number): Happening {
  return { kind: 'queueOutage', atMs, forMs };
}
