/** Random histories: what happens to the cluster and to the controller, in any order. */
import fc from 'fast-check';
import type { KubeObject, ObjectName, Resource } from '#shared/domain/objects.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { finish, settle, start } from './job-controller.ts';
import type { ModelCluster } from './model-cluster.ts';
import { pass, quiesce } from './passes.ts';
import { resultOf, type RandomFlow } from './random-flows.ts';

export type Happening =
  | { readonly kind: 'pass' }
  /** The process ends after so many writes. */
  | { readonly kind: 'crash'; readonly afterWrites: number }
  /** A pass that reads what was true when `look` happened last. */
  | { readonly kind: 'look' | 'stalePass' }
  | { readonly kind: 'start' | 'finish' | 'vanish'; readonly which: number }
  | { readonly kind: 'tick'; readonly seconds: number }
  | { readonly kind: 'settle' }
  | { readonly kind: 'suspend'; readonly suspend: boolean };

const which = fc.nat(20);

export const happenings = {
  pass: fc.constant<Happening>({ kind: 'pass' }),
  crash: fc.nat(4).map((afterWrites): Happening => ({ kind: 'crash', afterWrites })),
  look: fc.constant<Happening>({ kind: 'look' }),
  stalePass: fc.constant<Happening>({ kind: 'stalePass' }),
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

/** Lets it happen. Events are lost wherever the history has no pass. */
export async function live(
  cluster: ModelCluster,
  random: RandomFlow,
  happened: readonly Happening[],
): Promise<void> {
  let view: Reader = new PastReader(cluster);
  for (const happening of happened) {
    switch (happening.kind) {
      case 'pass':
        await pass(cluster);
        break;
      case 'crash':
        await pass(cluster, { crashAfter: happening.afterWrites });
        break;
      case 'look':
        view = new PastReader(cluster);
        break;
      case 'stalePass':
        await pass(cluster, { reader: view });
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

/** What was never recorded never was: a person can only delete what there is to see. */
function isRecorded(cluster: ModelCluster, jobName: string): boolean {
  return (cluster.flow?.status?.jobStatusList ?? []).some((entry) => entry.jobName === jobName);
}

/** The final sweep: every Job does what it is meant to do, every wake-up comes. Returns the rounds. */
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

/** Flow and list as they once were; a single Job is asked for at the API server. */
class PastReader implements Reader {
  readonly #cluster: ModelCluster;
  readonly #flow: KubeObject | undefined;
  readonly #jobs: readonly KubeObject[];

  constructor(cluster: ModelCluster) {
    this.#cluster = cluster;
    this.#flow = cluster.flow;
    this.#jobs = cluster.jobs();
  }

  async get(resource: Resource, name: ObjectName): Promise<KubeObject | undefined> {
    return resource.kind === 'JobFlow' ? this.#flow : this.#cluster.get(resource, name);
  }

  async listByOwner(): Promise<readonly KubeObject[]> {
    return this.#jobs;
  }

  async list(): Promise<readonly KubeObject[]> {
    return [];
  }

  async listByOwners(): Promise<readonly KubeObject[]> {
    return [];
  }
}
