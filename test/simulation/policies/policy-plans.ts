/**
 * Suspend policies and the independent Jobs that they govern, as a seed chooses them in advance.
 */
import type { SeededRandom } from '../seeded-random.ts';

/** Milliseconds since the start, by the API server's initial clock. */
export interface ClosedTime {
  readonly fromMs: number;
  readonly toMs: number;
}

export const tierLabel = 'example.com/tier';
export const tiers = ['batch', 'bulk'] as const;
export type Tier = (typeof tiers)[number];

const governedKinds = ['Job', 'JobFlow', 'DaemonJob'] as const;

export interface PolicyPlan {
  readonly name: string;
  /** For all namespaces. Absent: for the scenario's only namespace. */
  readonly ofCluster?: true;
  readonly atMs: number;
  readonly kinds: readonly (typeof governedKinds)[number][];
  /** Only objects with this label. Absent: all. */
  readonly tier?: Tier;
  readonly closed: readonly ClosedTime[];
  /** Most running at once. */
  readonly maxJobs?: number;
  readonly adopt?: 'Suspended' | 'Both';
  readonly precedence?: number;
  readonly onDelete?: 'Leave';
  readonly dryRun?: true;
  readonly onClose?: {
    readonly action: 'LetFinish' | 'SuspendAfter';
    readonly afterSeconds?: number;
    readonly warnSeconds?: number;
  };
  readonly strategy?: 'BestEffortFIFO';
  readonly agingSeconds?: number;
  readonly maxWaitSeconds?: number;
  readonly groupBy?: 'Namespace' | `label:${string}`;
  readonly preemption?: { readonly mode: 'LowerPriority'; readonly minRunSeconds: number };
}

/** An independently submitted Job. */
export interface BatchPlan {
  readonly name: string;
  readonly atMs: number;
  readonly runMs: number;
  readonly tier?: Tier;
  readonly priority?: number;
  /** It is submitted suspended. */
  readonly suspend?: true;
}

export interface NightPlan {
  readonly policies: readonly PolicyPlan[];
  readonly jobs: readonly BatchPlan[];
}

/** Users' actions on policies and governed objects. */
export const nightActions = [
  'batchResumed',
  'batchSuspended',
  'batchOverridden',
  'overrideLifted',
  'batchDeleted',
  'batchRelabelled',
  'policyDeleted',
  'policyRecreated',
  'policyRescheduled',
  'policyResized',
  'flowOverridden',
] as const;

export interface NightAction {
  readonly kind: (typeof nightActions)[number];
  readonly atMs: number;
  /** Index of the Job or policy, modulo their number. */
  readonly index: number;
}

export function isNightAction(happening: { readonly kind: string }): happening is NightAction {
  return (nightActions as readonly string[]).includes(happening.kind);
}

/** Transitions continue for a while after the last fault. */
const afterCalmMs = 70_000;

export function nightOf(random: SeededRandom, calmFromMs: number): NightPlan {
  const names = random.pick([['nights'], ['nights'], ['nights', 'room'], ['a', 'b', 'c']]);
  const policies = names.map((name) =>
    policyOf(name, random.branch(`policy ${name}`), calmFromMs + afterCalmMs),
  );
  const count = random.pick([1, 2, 3, 5, 8]);
  const jobs = Array.from({ length: count }, (_, index) =>
    jobOf(`batch-${index}`, random.branch(`job ${index}`), calmFromMs),
  );
  return { policies, jobs };
}

function policyOf(name: string, random: SeededRandom, untilMs: number): PolicyPlan {
  const hasRoom = random.chance(0.4);
  return {
    name,
    ...(random.chance(0.25) ? { ofCluster: true as const } : {}),
    atMs: random.pick([0, 0, 0, random.integer(0, 6_000)]),
    kinds: random.pick([['Job'], ['Job'], ['Job', 'JobFlow'], [...governedKinds]] as const),
    ...(random.chance(0.4) ? { tier: random.pick(tiers) } : {}),
    closed: hasRoom && random.chance(0.5) ? [] : closedTimes(random.branch('closed'), untilMs),
    ...(hasRoom ? { maxJobs: random.pick([1, 1, 2, 3]), ...orderOf(random.branch('order')) } : {}),
    ...(random.chance(0.3) ? { adopt: random.pick(['Suspended', 'Both'] as const) } : {}),
    ...(random.chance(0.3) ? { precedence: random.pick([1, 2]) } : {}),
    ...(random.chance(0.2) ? { onDelete: 'Leave' as const } : {}),
    ...(random.chance(0.05) ? { dryRun: true as const } : {}),
    ...closingOf(random.branch('closing')),
  };
}

function closedTimes(random: SeededRandom, untilMs: number): readonly ClosedTime[] {
  const count = random.pick([1, 1, 2, 3]);
  return Array.from({ length: count }, () => {
    const fromMs = random.integer(-10, Math.floor(untilMs / 1_000)) * 1_000;
    return { fromMs, toMs: fromMs + random.pick([1, 5, 10, 20]) * 1_000 };
  });
}

function orderOf(random: SeededRandom): Partial<PolicyPlan> {
  return {
    ...(random.chance(0.4) ? { strategy: 'BestEffortFIFO' as const } : {}),
    ...(random.chance(0.3) ? { agingSeconds: random.pick([1, 5]) } : {}),
    ...(random.chance(0.3) ? { maxWaitSeconds: random.pick([5, 20]) } : {}),
    ...(random.chance(0.3)
      ? { preemption: { mode: 'LowerPriority', minRunSeconds: random.pick([0, 1, 5]) } as const }
      : {}),
    ...groupsOf(random.branch('groups')),
  };
}

/** Everything is in one namespace, so groups are made by tiers. */
function groupsOf(random: SeededRandom): Pick<PolicyPlan, 'groupBy'> {
  if (random.chance(0.6)) return {};
  return { groupBy: random.chance(0.1) ? 'Namespace' : `label:${tierLabel}` };
}

function closingOf(random: SeededRandom): Pick<PolicyPlan, 'onClose'> {
  if (random.chance(0.6)) return {};
  if (random.chance(0.3)) return { onClose: { action: 'LetFinish' } };
  const afterSeconds = random.pick([0, 2, 5]);
  const warning = afterSeconds > 0 && random.chance(0.5) ? { warnSeconds: 1 } : {};
  return { onClose: { action: 'SuspendAfter', afterSeconds, ...warning } };
}

function jobOf(name: string, random: SeededRandom, calmFromMs: number): BatchPlan {
  return {
    name,
    atMs: random.pick([0, random.integer(0, 3_000), random.integer(0, calmFromMs)]),
    runMs: random.pick([random.integer(1, 500), random.integer(500, 6_000), 12_000]),
    ...(random.chance(0.8) ? { tier: random.pick(tiers) } : {}),
    ...(random.chance(0.4) ? { priority: random.pick([1, 5, 9]) } : {}),
    ...(random.chance(0.2) ? { suspend: true as const } : {}),
  };
}

export function nightActionsOf(random: SeededRandom, untilMs: number): readonly NightAction[] {
  const count = random.pick([0, 1, 2, 4, 8]);
  const lastMs = random.pick([untilMs, untilMs, 5_000]);
  const theme = random.pick([
    nightActions,
    ['batchResumed', 'batchSuspended'],
    ['batchOverridden', 'overrideLifted', 'flowOverridden'],
    ['policyDeleted', 'policyRecreated', 'batchResumed'],
    ['policyRescheduled', 'policyResized'],
  ] as const);
  return Array.from({ length: count }, () => ({
    kind: random.pick<(typeof nightActions)[number]>(random.chance(0.3) ? nightActions : theme),
    atMs: random.integer(0, lastMs),
    index: random.integer(0, 7),
  }));
}
