/** DaemonJobs and their machines, as a seed chooses them in advance. */
import { type Hindrance, troubles } from '../pod-plans.ts';
import type { SeededRandom } from '../seeded-random.ts';

export interface DaemonPlan {
  readonly name: string;
  readonly atMs: number;
  /** Excluded nodes. */
  readonly exclude: readonly string[];
  /** Nodes where the first attempt fails and the next one succeeds. */
  readonly fails: readonly string[];
  /** Running time of each Job, in milliseconds. */
  readonly runMs: number;
  readonly parallelism?: number | string;
  readonly failurePolicy?: 'FailFast' | 'Pause';
  readonly completionPolicy?: 'Never';
  readonly suspend?: true;
  readonly ttlSeconds?: number;
  readonly deadlineSeconds?: number;
  readonly shutdown?: 'Stop' | 'Terminate';
  readonly eligibility?: 'All';
  readonly allowEmpty?: true;
  /** Only machines of one zone. */
  readonly selects?: true;
  /** It tolerates the machines' taint. */
  readonly tolerates?: true;
  /** It adds labels, annotations and a variable to everything. */
  readonly adds?: true;
  /** It was stored although it has a TTL and never ends. */
  readonly contradicts?: true;
  /** The obstacle that keeps its Pods from running, and their exit code when they fail. */
  readonly trouble?: Hindrance;
  readonly exitCode?: number;
}

export interface FleetPlan {
  /** Nodes that exist from the start. */
  readonly nodes: readonly string[];
  readonly daemonJobs: readonly DaemonPlan[];
}

/** Events of nodes, and users' actions on DaemonJobs. */
export const fleetActions = [
  'nodeAdded',
  'nodeDeleted',
  'nodeReplaced',
  'nodeCordoned',
  'nodeUncordoned',
  'nodeTainted',
  'nodeRelabelled',
  'nodeSilent',
  'nodeBack',
  'daemonDeleted',
  'daemonRecreated',
  'daemonSuspended',
  'daemonResumed',
  'daemonPaused',
  'daemonUnpaused',
  'daemonExcludes',
  'daemonExclusionsLifted',
  'daemonRetried',
  'daemonPolicyEdited',
  'daemonFrozenEdited',
  'daemonFrozenRestored',
  'daemonNameTaken',
  'daemonChildDeleted',
  'daemonChildSuspended',
] as const;

/** Drawn separately from the others. */
export const fleetShutdowns = ['daemonShutDown'] as const;

export interface FleetAction {
  readonly kind: (typeof fleetActions)[number] | (typeof fleetShutdowns)[number];
  readonly atMs: number;
  /** Index of the node or DaemonJob, modulo their number. */
  readonly index: number;
}

export function isFleetAction(happening: { readonly kind: string }): happening is FleetAction {
  return ([...fleetActions, ...fleetShutdowns] as readonly string[]).includes(happening.kind);
}

/** One name is invalid for a Job. Two others differ only in what a Job's name leaves out. */
const nodeNames = [
  'vm-0-12-centos',
  'vm-0-17-centos',
  'node1',
  'ip-172-31-37-227.ap-northeast-1.compute.internal',
  'a.b',
  'a-b',
];

export function fleetOf(random: SeededRandom): FleetPlan {
  const nodes = random.shuffled(nodeNames).slice(0, random.pick([1, 2, 3, 4, 6]));
  const names = random.pick([['spread'], ['spread'], ['spread', 'sweep']]);
  return { nodes, daemonJobs: names.map((name) => planOf(name, nodes, random.branch(name))) };
}

function planOf(name: string, nodes: readonly string[], random: SeededRandom): DaemonPlan {
  const some = (chance: number): readonly string[] => nodes.filter(() => random.chance(chance));
  const isEndless = random.branch('end').chance(0.25);
  return {
    name,
    atMs: random.pick([0, 0, random.integer(0, 3_000)]),
    exclude: random.chance(0.3)
      ? nodes.slice(0, nodes.length - 1).filter(() => random.chance(0.4))
      : [],
    fails: random.chance(0.4) ? some(0.4) : [],
    runMs: random.pick([0, random.integer(1, 500), random.integer(500, 6_000)]),
    ...(random.chance(0.4) ? { parallelism: random.pick([1, 2, '50%', '10%']) } : {}),
    ...(random.chance(0.3) ? { failurePolicy: random.pick(['FailFast', 'Pause'] as const) } : {}),
    ...(isEndless ? { completionPolicy: 'Never' as const } : endOf(random.branch('time'))),
    ...(random.chance(0.1) ? { suspend: true as const } : {}),
    ...choiceOf(random.branch('choice')),
    ...storyOf(random.branch('story')),
  };
}

function endOf(random: SeededRandom): Partial<DaemonPlan> {
  return {
    ...(random.chance(0.1) ? { ttlSeconds: random.pick([0, 2, 20]) } : {}),
    ...(random.chance(0.15) ? { deadlineSeconds: random.pick([1, 3, 10]) } : {}),
  };
}

function choiceOf(random: SeededRandom): Partial<DaemonPlan> {
  return {
    ...(random.chance(0.12) ? { eligibility: 'All' as const } : {}),
    ...(random.chance(0.1) ? { allowEmpty: true as const } : {}),
    ...(random.chance(0.15) ? { selects: true as const } : {}),
    ...(random.chance(0.15) ? { tolerates: true as const } : {}),
    ...(random.chance(0.2) ? { adds: true as const } : {}),
    ...(random.chance(0.02) ? { contradicts: true as const } : {}),
  };
}

/** The problems of its Pods. */
function storyOf(random: SeededRandom): Partial<DaemonPlan> {
  return {
    ...(random.chance(0.15)
      ? { trouble: { kind: random.pick(troubles), forMs: random.pick([500, 5_000, 12_000]) } }
      : {}),
    ...(random.chance(0.3) ? { exitCode: random.pick([1, 3, 137]) } : {}),
  };
}

export function fleetActionsOf(random: SeededRandom, untilMs: number): readonly FleetAction[] {
  const count = random.pick([0, 1, 2, 4, 8]);
  const lastMs = random.pick([untilMs, 5_000, 2_000]);
  const theme = random.pick([
    fleetActions,
    ['nodeAdded', 'nodeDeleted', 'nodeReplaced'],
    ['nodeCordoned', 'nodeUncordoned', 'nodeTainted', 'nodeSilent', 'nodeBack'],
    ['daemonSuspended', 'daemonResumed', 'daemonPaused', 'daemonUnpaused'],
    ['daemonRetried', 'nodeReplaced'],
    ['daemonChildDeleted', 'daemonRetried', 'daemonNameTaken', 'daemonPolicyEdited'],
    ['daemonFrozenEdited', 'daemonFrozenRestored', 'daemonRetried', 'daemonSuspended'],
  ] as const);
  return Array.from({ length: count }, () => ({
    kind: random.pick<(typeof fleetActions)[number]>(random.chance(0.3) ? fleetActions : theme),
    atMs: random.integer(0, lastMs),
    index: random.integer(0, 7),
  }));
}
