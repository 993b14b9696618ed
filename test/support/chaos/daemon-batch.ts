/**
 * DaemonJobs over the same nodes, observed by polling: the test's own watch would not survive the faults.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { auditEntries, createdTwice, successfulCreates } from '../audit-log.ts';
import { daemonJob } from '../daemons/daemon-manifest.ts';
import type { TestNodes } from '../daemons/test-nodes.ts';
import type { ClusterApi, Manifest } from '../flows/cluster-api.ts';

const pollMs = 250;

type Daemon = KubeObject & Pick<DaemonJob, 'status'>;

export class DaemonBatch {
  readonly #api: ClusterApi;
  readonly #namespace: string;
  readonly #names: readonly string[];
  readonly #nodes: readonly string[];

  private constructor(
    api: ClusterApi,
    namespace: string,
    names: readonly string[],
    nodes: readonly string[],
  ) {
    this.#api = api;
    this.#namespace = namespace;
    this.#names = names;
    this.#nodes = nodes;
  }

  /** Applies `count` DaemonJobs over these nodes in a namespace of their own. */
  static async apply(
    api: ClusterApi,
    { pool }: Pick<TestNodes, 'pool'>,
    nodes: readonly string[],
    count: number,
    manifest: (name: string, pool: string) => Manifest = aTenthAtATime,
  ): Promise<DaemonBatch> {
    await api.create('', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: pool } });
    const names = Array.from({ length: count }, (_, index) => `daemon-${index}`);
    await Promise.all(names.map((name) => api.apply(pool, manifest(name, pool))));
    return new DaemonBatch(api, pool, names, nodes);
  }

  /** Whether each DaemonJob counts all nodes as eligible. */
  async areCounted(): Promise<boolean> {
    const daemons = await this.#daemons();
    return daemons.every(({ status }) => status?.desired === this.#nodes.length);
  }

  /** Waits until this share of all Jobs is reported as done; returns the actual share. */
  async untilDone(share: number, withinMs: number): Promise<number> {
    const total = this.#names.length * this.#nodes.length;
    const deadline = performance.now() + withinMs;
    for (;;) {
      const daemons = await this.#daemons().catch((error: unknown) => String(error));
      const done = typeof daemons === 'string' ? 0 : sumOf(daemons) / total;
      if (done >= share) return done;
      if (performance.now() > deadline) {
        const seen = typeof daemons === 'string' ? daemons : daemons.map(describe).join('\n');
        throw new Error(`not ${share} of the Jobs were done within ${withinMs} ms:\n${seen}`);
      }
      await sleep(pollMs);
    }
  }

  /**
   * The faults at the end: DaemonJobs without success, nodes without a Job or with several, and Jobs
   * that were created twice. A request of a killed client, or to a killed server, may be stored and not
   * logged. It is found among the Jobs.
   */
  async faults(auditLog: string): Promise<readonly string[]> {
    const created = await successfulCreates(auditLog, {
      resource: 'jobs',
      namespace: this.#namespace,
    });
    const jobs = (await this.#api.list('Job', this.#namespace)).items;
    const places = jobs.map(({ metadata }) => {
      const { [labels.daemonJob]: daemon = '', [labels.nodeUid]: node = '' } =
        metadata.labels ?? {};
      return `${daemon} on ${node}`;
    });
    const wanted = this.#names.flatMap((name) => this.#nodes.map((node) => `${name}-${node}`));
    const found = new Set(jobs.map(({ metadata }) => metadata.name));
    return [
      ...(await this.#daemons()).flatMap((each) => this.#faultsOf(each)),
      ...createdTwice(created).map((name) => `${name} was created twice`),
      ...places.filter((place, index) => places.indexOf(place) !== index),
      ...wanted.filter((name) => !found.has(name)).map((name) => `${name} is missing`),
      ...(jobs.length > wanted.length ? [`${jobs.length} Jobs instead of ${wanted.length}`] : []),
    ];
  }

  /** Milliseconds from this time (Unix time) to the next creation of a Job. Undefined: there was none. */
  async nextJobAfter(auditLog: string, sinceMs: number): Promise<number | undefined> {
    const filter = { resource: 'jobs', namespace: this.#namespace, verb: 'create', sinceMs };
    const times = (await auditEntries(auditLog, { ...filter, code: 201 })).map(
      ({ answeredAtMs }) => answeredAtMs - sinceMs,
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #faultsOf(daemon: Daemon): readonly string[] {
    const { state, succeeded, desired } = daemon.status ?? {};
    const { length } = this.#nodes;
    const isRight = state === 'Succeed' && succeeded === length && desired === length;
    return isRight ? [] : [describe(daemon)];
  }

  async #daemons(): Promise<readonly Daemon[]> {
    return (await this.#api.list('DaemonJob', this.#namespace)).items as readonly Daemon[];
  }
}

function aTenthAtATime(name: string, pool: string): Manifest {
  return daemonJob(name, pool, { parallelism: '10%', runFor: '500ms' });
}

function sumOf(daemons: readonly Daemon[]): number {
  return daemons.reduce((sum, { status }) => sum + (status?.succeeded ?? 0), 0);
}

function describe({ metadata, status = {} }: Daemon): string {
  const { state = 'none', desired, active, succeeded, waiting, message = '' } = status;
  const counts = { desired, active, succeeded, waiting };
  return `${metadata.name}: ${state} ${JSON.stringify(counts)} ${message}`;
}
