/**
 * Sequences of user actions on DaemonJobs, policies and governed objects. The second comes while the
 * first is being handled, and often meets a process that does not know the first.
 */
import { withDeadlines } from './deadlines.ts';
import type { FleetAction } from './daemons/daemon-plans.ts';
import type { NightAction } from './policies/policy-plans.ts';
import type { Happening, Scenario } from './scenario.ts';
import type { SeededRandom } from './seeded-random.ts';
import { withFleetShutdowns, withShutdowns } from './shutdowns.ts';

const ofFleets: readonly (readonly FleetAction['kind'][])[] = [
  ['daemonExcludes', 'daemonExclusionsLifted'],
  ['daemonExcludes', 'daemonExclusionsLifted', 'daemonRetried'],
  ['daemonExcludes', 'nodeReplaced', 'daemonExclusionsLifted'],
  ['daemonChildDeleted', 'daemonRetried', 'daemonRetried'],
  ['daemonSuspended', 'daemonFrozenEdited', 'daemonResumed', 'daemonFrozenRestored'],
  ['daemonPolicyEdited', 'daemonRetried', 'daemonPolicyEdited'],
  ['daemonPaused', 'nodeAdded', 'daemonUnpaused'],
];

const ofNights: readonly (readonly NightAction['kind'][])[] = [
  ['batchOverridden', 'overrideLifted'],
  ['flowOverridden', 'overrideLifted', 'batchResumed'],
  ['policyDeleted', 'policyRecreated'],
  ['policyResized', 'batchOverridden', 'policyResized'],
  ['policyRescheduled', 'batchSuspended', 'overrideLifted'],
  ['batchRelabelled', 'policyRescheduled', 'batchRelabelled'],
];

/** The flows beside them are short, so that stories do not make a run longer. */
const mostSteps = 3;

export function withStories(drawn: Scenario, random: SeededRandom): Scenario {
  const shutDown = withShutdowns(drawn, random.branch('shutdowns'));
  const limited = withDeadlines(shutDown, random.branch('deadlines'));
  const scenario = withFleetShutdowns(limited, random.branch('fleet shutdowns'));
  const { fleet, nights, flows, happenings, calmFromMs } = scenario;
  const themes = [
    ...(fleet === undefined ? [] : ofFleets),
    ...(nights === undefined ? [] : ofNights),
  ];
  if (themes.length === 0 || random.chance(0.25)) return scenario;
  const chosen = Array.from({ length: random.pick([1, 1, 2]) }, (_, number) =>
    storyOf(themes, scenario, random.branch(`story ${number}`)),
  ).flat();
  const added = chosen.map((each) => ({ ...each, atMs: Math.min(each.atMs, calmFromMs - 1_000) }));
  return {
    ...scenario,
    flows: flows.slice(0, 1).map((flow) => ({ ...flow, steps: flow.steps.slice(0, mostSteps) })),
    happenings: [...happenings, ...added].sort((left, right) => left.atMs - right.atMs),
  };
}

function storyOf(
  themes: readonly (readonly (FleetAction | NightAction)['kind'][])[],
  { elects }: Scenario,
  random: SeededRandom,
): readonly Happening[] {
  const index = random.integer(0, 7);
  let atMs = random.pick([100, random.integer(0, 1_500), random.integer(0, 4_000)]);
  const acts = random.pick(themes).map((kind) => {
    const act = { kind, atMs, index } as FleetAction | NightAction;
    atMs += random.pick([20, 300, 1_000, 3_000]);
    return act;
  });
  if (!random.chance(0.5)) return acts;
  const [first, second] = acts;
  const betweenMs = random.integer(first!.atMs, second!.atMs);
  const awayMs = random.pick([100, 1_000, 5_000]);
  return elects === true && random.chance(0.5)
    ? [...acts, { kind: 'holderCrash', atMs: betweenMs, awayMs }]
    : [...acts, { kind: 'crash', atMs: betweenMs, process: random.integer(0, 5), awayMs }];
}
