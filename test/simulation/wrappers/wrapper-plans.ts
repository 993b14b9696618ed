/** AppWrappers of a scenario, their content, and users' actions on them, as a seed chooses them in advance. */
import type { QueuePriority } from '../queues/queue-plans.ts';
import type { SeededRandom } from '../seeded-random.ts';

export interface PartPlan {
  readonly kind: 'Pod' | 'Job' | 'Service' | 'ConfigMap';
  /** Number of tries that fail at their end. For a Pod or a Job. */
  readonly failures?: number;
  /** Exit code of a failure. */
  readonly exitCode?: number;
  /** Its running time, in milliseconds. */
  readonly runMs?: number;
  /** Its template has only a generateName. */
  readonly generatesName?: true;
}

export interface WrapperPlan {
  readonly name: string;
  readonly atMs: number;
  readonly parts: readonly PartPlan[];
  readonly retryLimit: number;
  readonly suspend?: true;
  readonly successTtlSeconds?: number;
  /** Its resources stay for this time after a failure. */
  readonly deletionOnFailureSeconds?: number;
  /** The exit code after which there is no further try. */
  readonly terminalExitCode?: number;
  /** It waits in the queue of Kueue with this priority. Absent: it needs no quota. */
  readonly queue?: QueuePriority;
}

/** Users' actions on AppWrappers and wrapped objects. */
export const wrapperActions = [
  'wrapperDeleted',
  'wrapperRecreated',
  'wrapperSuspended',
  'wrapperResumed',
  'componentDeleted',
  'wrappedPodDeleted',
] as const;

export interface WrapperAction {
  readonly kind: (typeof wrapperActions)[number];
  readonly atMs: number;
  /** Index of the AppWrapper, modulo their number. */
  readonly index: number;
  /** Index of its component, modulo their number. */
  readonly choice: number;
}

export function isWrapperAction(happening: { readonly kind: string }): happening is WrapperAction {
  return (wrapperActions as readonly string[]).includes(happening.kind);
}

export function wrapperPlans(random: SeededRandom): readonly WrapperPlan[] {
  const names = random.pick([['batch'], ['batch'], ['batch', 'train']]);
  return names.map((name) => planOf(name, random.branch(name)));
}

function planOf(name: string, random: SeededRandom): WrapperPlan {
  const parts = Array.from({ length: random.pick([1, 2, 3, 4]) }, (_, index) =>
    partOf(random.branch(`part ${index}`)),
  );
  return {
    name,
    atMs: random.pick([0, 0, random.integer(0, 3_000)]),
    parts,
    retryLimit: random.pick([0, 1, 3, 3]),
    ...(random.chance(0.15) ? { suspend: true as const } : {}),
    ...(random.chance(0.3) ? { successTtlSeconds: random.pick([1, 10]) } : {}),
    ...(random.chance(0.2) ? { deletionOnFailureSeconds: random.pick([1, 10]) } : {}),
    ...(random.chance(0.2) ? { terminalExitCode: random.pick([1, 3]) } : {}),
  };
}

function partOf(random: SeededRandom): PartPlan {
  const kind = random.pick(['Pod', 'Pod', 'Job', 'Job', 'Service', 'ConfigMap'] as const);
  const generated = random.chance(0.2) ? { generatesName: true as const } : {};
  if (kind === 'Service' || kind === 'ConfigMap') return { kind, ...generated };
  const failures = random.pick([0, 0, 0, 1, 2]);
  return {
    kind,
    runMs: random.pick([0, random.integer(1, 500), random.integer(500, 6_000)]),
    ...(failures === 0 ? {} : { failures, exitCode: random.pick([1, 3, 137]) }),
    ...generated,
  };
}

export function wrapperActionsOf(random: SeededRandom, untilMs: number): readonly WrapperAction[] {
  const lastMs = random.pick([untilMs, 5_000, 2_000]);
  const theme = random.pick([
    wrapperActions,
    ['wrapperSuspended', 'wrapperResumed'],
    ['wrapperDeleted', 'wrapperRecreated'],
    ['componentDeleted', 'wrappedPodDeleted'],
    ['wrapperSuspended', 'wrapperResumed', 'wrapperDeleted'],
  ] as const);
  return Array.from({ length: random.pick([0, 1, 2, 4, 6]) }, () => ({
    kind: random.pick<(typeof wrapperActions)[number]>(random.chance(0.3) ? wrapperActions : theme),
    atMs: random.integer(0, lastMs),
    index: random.integer(0, 3),
    choice: random.integer(0, 7),
  }));
}
