/** Random histories: events of the cluster and of the controller, in any order. */
import fc from 'fast-check';
import { finish, settle, start } from './job-controller.ts';
import type { ModelCluster } from './model-cluster.ts';
import { pass, quiesce } from './passes.ts';
import { resultOf, type RandomFlow } from './random-flows.ts';

export type Happening =
  | { readonly kind: 'pass' }
  /** The process ends after this many writes. */
  | { readonly kind: 'crash'; readonly afterWrites: number }
  | { readonly kind: 'start' | 'finish' | 'vanish'; readonly which: number }
  | { readonly kind: 'tick'; readonly seconds: number }
  | { readonly kind: 'settle' }
  | { readonly kind: 'suspend'; readonly suspend: boolean };

const which = fc.nat(20);

export const happenings = {
  pass: fc.constant<Happening>({ kind: 'pass' }),
  crash: fc.nat(4).map((afterWrites): Happening => ({ kind: 'crash', afterWrites })),
  start: which.map((index): Happening => ({ kind: 'start', which: index })),
  finish: which.map((index): Happening => ({ kind: 'finish', which: index })),
  vanish: which.map((index): Happening => ({ kind: 'vanish', which: index })),
  tick: fc.integer({ min: 1, max: 20 }).map((seconds): Happening => ({ kind: 'tick', seconds })),
  settle: fc.constant<Happening>({ kind: 'settle' }),
  suspend: fc.boolean().map((suspend): Happening => ({ kind: 'suspend', suspend })),
} as const;

export function history(
  kinds: readonly (keyof typeof happenings)[],
): fc.Arbitrary<readonly Happening[]> {
  return fc.array(fc.oneof(...kinds.map((kind) => happenings[kind])), {
    maxLength: 40,
    size: 'max',
  });
}

/** Plays a history. Events without a following pass are lost. */
export async function live(
  cluster: ModelCluster,
  random: RandomFlow,
  happened: readonly Happening[],
): Promise<void> {
  for (const happening of happened) {
    switch (happening.kind) {
      case 'pass':
        await pass(cluster);
        break;
      case 'crash':
        await pass(cluster, happening.afterWrites);
        break;
      case 'tick':
        cluster.nowMs += happening.seconds * 1000;
        break;
      case 'settle':
        settle(cluster);
        break;
      case 'suspend':
        cluster.editFlow({ suspend: happening.suspend });
        break;
      default:
        touch(cluster, random, happening);
    }
  }
}

function touch(
  cluster: ModelCluster,
  random: RandomFlow,
  { kind, which: index }: Happening & { readonly which: number },
): void {
  const jobs = cluster.jobs();
  const job = jobs[index % Math.max(1, jobs.length)];
  if (job === undefined) return;
  const { name } = job.metadata;
  if (kind === 'start') start(cluster, name);
  else if (kind === 'finish') finish(cluster, name, resultOf(random, job));
  else if (isRecorded(cluster, name)) cluster.remove('Job', name);
}

/** A user can delete only what is recorded. */
function isRecorded(cluster: ModelCluster, jobName: string): boolean {
  return (cluster.flow?.status?.jobStatusList ?? []).some((entry) => entry.jobName === jobName);
}

/** The final sweep: every Job ends as planned, and every event arrives. Returns the number of rounds. */
export async function liveToTheEnd(cluster: ModelCluster, random: RandomFlow): Promise<number> {
  if (cluster.flow?.spec.suspend === true) cluster.editFlow({ suspend: false });
  for (let round = 1; round <= 100; round += 1) {
    const dueMs = await quiesce(cluster);
    const isOver = cluster.flow?.status?.completionTime !== undefined;
    if (isOver && dueMs === undefined) return round;
    for (const job of cluster.jobs()) finish(cluster, job.metadata.name, resultOf(random, job));
    settle(cluster);
    cluster.nowMs = Math.max(cluster.nowMs + 1000, dueMs ?? 0);
  }
  throw new Error(`the flow does not end: ${JSON.stringify(cluster.flow?.status)}`);
}
