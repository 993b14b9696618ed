/** In some scenarios flows have a deadline, which users change, and late flows are retried or suspended. */
import type { Scenario } from './scenario.ts';
import type { SeededRandom } from './seeded-random.ts';

export function withDeadlines(scenario: Scenario, random: SeededRandom): Scenario {
  if (!random.chance(0.15)) return scenario;
  const { calmFromMs, flows, happenings } = scenario;
  const lastMs = random.pick([calmFromMs, 8_000]);
  const kinds = ['deadline', 'retry', 'suspend', 'resume', 'deleteChild', 'shutdown'] as const;
  const actions = Array.from({ length: random.pick([0, 1, 2, 4]) }, () => ({
    kind: random.pick(kinds),
    atMs: random.integer(0, lastMs),
    flow: random.integer(0, 1),
    choice: random.integer(0, 7),
  }));
  return {
    ...scenario,
    flows: flows.map((flow) =>
      flow.poison === true || !random.chance(0.7)
        ? flow
        : { ...flow, deadlineSeconds: random.pick([1, 2, 4, 10, 60]) },
    ),
    happenings: [...happenings, ...actions].sort((left, right) => left.atMs - right.atMs),
  };
}
