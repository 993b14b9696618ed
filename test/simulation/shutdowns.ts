/** In some scenarios flows are shut down, and users want them to continue. */
import type { Scenario } from './scenario.ts';
import type { SeededRandom } from './seeded-random.ts';

export function withShutdowns(scenario: Scenario, random: SeededRandom): Scenario {
  if (!random.chance(0.2)) return scenario;
  const { calmFromMs, flows, happenings } = scenario;
  const lastMs = random.pick([calmFromMs, 5_000]);
  const kinds = ['shutdown', 'shutdown', 'retry', 'suspend', 'resume', 'deleteChild'] as const;
  const actions = Array.from({ length: random.pick([1, 2, 3, 4, 6]) }, (_, index) => ({
    kind: index === 0 ? ('shutdown' as const) : random.pick(kinds),
    atMs: random.integer(0, lastMs),
    flow: random.integer(0, 1),
    choice: random.integer(0, 7),
  }));
  return {
    ...scenario,
    flows: flows.map((flow) =>
      flow.poison === true || !random.chance(0.1)
        ? flow
        : { ...flow, shutdown: random.pick(['Stop', 'Terminate'] as const) },
    ),
    happenings: [...happenings, ...actions].sort((left, right) => left.atMs - right.atMs),
  };
}

/** The same for DaemonJobs. */
export function withFleetShutdowns(scenario: Scenario, random: SeededRandom): Scenario {
  const { fleet, calmFromMs, happenings } = scenario;
  if (fleet === undefined || !random.chance(0.25)) return scenario;
  const lastMs = random.pick([calmFromMs, 4_000]);
  const kinds = ['daemonRetried', 'daemonSuspended', 'daemonResumed', 'nodeAdded'] as const;
  const actions = Array.from({ length: random.pick([1, 2, 3, 4, 6]) }, (_, number) => ({
    kind: number === 0 || random.chance(0.5) ? ('daemonShutDown' as const) : random.pick(kinds),
    atMs: random.integer(0, lastMs),
    index: random.integer(0, 7),
  }));
  const daemonJobs = fleet.daemonJobs.map((plan) =>
    random.chance(0.1) ? { ...plan, shutdown: random.pick(['Stop', 'Terminate'] as const) } : plan,
  );
  return {
    ...scenario,
    fleet: { ...fleet, daemonJobs },
    happenings: [...happenings, ...actions].sort((left, right) => left.atMs - right.atMs),
  };
}
