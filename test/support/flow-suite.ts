/**
 * A suite against a running Millrace: one stack for the file and a fresh namespace for every test,
 * so that tests run concurrently (`it.concurrent`).
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { KubeObject, Uid } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { RestoredDecision } from '#shared/journal/decision-reader.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { keyText } from '#shared/runtime/function/log-fields.ts';
import { FlowWorld, type Histories } from './flow-world.ts';
import type { JobObject, PodObject } from './flows/batch-objects.ts';
import { ClusterApi } from './flows/cluster-api.ts';
import { violations } from './flows/invariants.ts';
import { differencesAtRest } from './flows/model-at-rest.ts';
import {
  enqueue,
  parkedItems,
  recordedDecisions,
  type RedisPlace,
} from './flows/redis-contents.ts';
import { ObjectHistory } from './flows/object-history.ts';
import { LogTail } from './log-tail.ts';
import { type Millrace, type MillraceForTests, startMillraceForTests } from './millrace.ts';
import { type Redis, startRedis } from './redis.ts';
import { type ClusterHandle, describeWithCluster } from './require.ts';

export interface FlowSuite {
  readonly cluster: ClusterHandle;
  /** As admin. */
  readonly api: () => ClusterApi;
  /** A fresh namespace; `about` becomes part of its name. */
  readonly world: (about: string) => Promise<FlowWorld>;
  /** Namespaces of this file's worlds. */
  readonly namespaces: readonly string[];
  /** The Redis of this file only. */
  readonly redis: () => Redis;
  /** Decisions of this file's Millrace, on one object or on all, oldest first. */
  readonly decisions: (of?: Uid) => Promise<readonly RestoredDecision[]>;
  /** This file's Millrace metrics in Prometheus format. */
  readonly metrics: () => Promise<string>;
  /** Enqueues items as the bridge does; they may be repeated or needless. */
  readonly enqueue: (items: readonly WorkItem[]) => Promise<void>;
  /** Ends Millrace as with SIGTERM. Later changes in the cluster are not seen. */
  readonly stopMillrace: () => Promise<void>;
  /** Starts as a new process would: only Redis is left of the old one. */
  readonly startMillrace: () => Promise<void>;
}

/** Log lines of all tests of a file, including the reflectors of one start. */
const loggedLines = 5_000;

/** Most tests of one file that may wait for the cluster at the same time. */
const concurrency = 20;

export function describeFlows(name: string, body: (suite: FlowSuite) => void): void {
  describeFlowsWith({}, name, body);
}

export type FlowSuiteOptions = Pick<
  MillraceForTests,
  'functions' | 'policy' | 'requiresSubmitters'
>;

export function describeFlowsWith(
  options: FlowSuiteOptions,
  name: string,
  body: (suite: FlowSuite) => void,
): void {
  describeWithCluster(name, (cluster) => {
    vi.setConfig({ maxConcurrency: concurrency });
    const stack = new FlowStack(cluster, options);
    beforeAll(() => stack.start());
    afterAll(() => stack.stop());
    body(stack);
    it('keeps the invariants of every flow of this file (I1, I2, I3, I4, I7)', () => {
      expect(stack.violations()).toEqual([]);
    });
    it('left every flow that is over as the model of the rules says', async () => {
      await expect.poll(() => stack.differencesAtRest()).toEqual([]);
    });
    it('parked no item of this file', async () => {
      // The item of a deleted object runs once more.
      await expect.poll(() => stack.parked()).toEqual([]);
    });
  });
}

interface Started {
  readonly api: ClusterApi;
  readonly redis: Redis;
  readonly place: RedisPlace;
  readonly histories: Histories;
}

class FlowStack implements FlowSuite {
  readonly cluster: ClusterHandle;
  readonly #options: FlowSuiteOptions;
  readonly #prefix = randomBytes(3).toString('hex');
  readonly #log = new LogTail(loggedLines);
  #started: Started | undefined;
  #millrace: Millrace | undefined;
  readonly namespaces: string[] = [];

  constructor(cluster: ClusterHandle, options: FlowSuiteOptions) {
    this.cluster = cluster;
    this.#options = options;
  }

  readonly start = async (): Promise<void> => {
    const { server, caFile, adminToken } = this.cluster;
    const api = new ClusterApi({ server, caFile, token: adminToken });
    const redis = await startRedis();
    const [flows, daemonJobs, jobs, pods] = await Promise.all([
      ObjectHistory.open<JobFlow & KubeObject>(api, 'JobFlow'),
      ObjectHistory.open<DaemonJob & KubeObject>(api, 'DaemonJob'),
      ObjectHistory.open<JobObject>(api, 'Job'),
      ObjectHistory.open<PodObject>(api, 'Pod'),
    ]);
    const place = { url: redis.url, prefix: await prefixOf(api) };
    this.#started = { api, redis, place, histories: { flows, daemonJobs, jobs, pods } };
    await this.startMillrace();
  };

  readonly stop = async (): Promise<void> => {
    await this.stopMillrace();
    const { api, redis, histories } = this.#parts();
    const { flows, daemonJobs, jobs, pods } = histories;
    // Running Pods would fill the nodes, and the next file would list every Job.
    for (const namespace of this.namespaces) await api.deleteAll('Job', namespace);
    await Promise.all([
      flows.close(),
      daemonJobs.close(),
      jobs.close(),
      pods.close(),
      redis.stop(),
    ]);
    await api.close();
  };

  readonly startMillrace = async (): Promise<void> => {
    this.#millrace = await startMillraceForTests({
      ...this.#options,
      cluster: this.cluster,
      redisUrl: this.#parts().redis.url,
      ...(process.env['MILLRACE_TEST_LOG'] === undefined
        ? { log: this.#log, logLevel: 'debug' as const }
        : {}),
    });
  };

  readonly stopMillrace = async (): Promise<void> => {
    await this.#millrace?.stop();
    this.#millrace = undefined;
  };

  readonly api = () => this.#parts().api;
  readonly redis = () => this.#parts().redis;

  readonly metrics = async (): Promise<string> => {
    if (this.#millrace === undefined) throw new Error('Millrace does not run');
    return (await fetch(`${this.#millrace.url}/metrics`)).text();
  };

  readonly enqueue = (items: readonly WorkItem[]) => enqueue(this.#parts().place, items);
  readonly decisions = async (of?: Uid): Promise<readonly RestoredDecision[]> => {
    const decisions = await recordedDecisions(this.#parts().place);
    return of === undefined ? decisions : decisions.filter(({ key }) => key.uid === of);
  };

  readonly world = async (about: string): Promise<FlowWorld> => {
    const { api, histories } = this.#parts();
    const name = `${about}-${this.#prefix}`;
    await api.create('', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    this.namespaces.push(name);
    const { kubectl, auditLog } = this.cluster;
    return new FlowWorld(name, { api, kubectl, histories, auditLog, log: this.#log });
  };

  /** One line per difference from the model, in any namespace of this file. */
  differencesAtRest(): readonly string[] {
    const { flows, jobs } = this.#parts().histories;
    return this.namespaces.flatMap((namespace) =>
      differencesAtRest(flows.sightings(namespace), jobs.sightings(namespace), Date.now()).map(
        (line) => `${namespace}: ${line}`,
      ),
    );
  }

  /** One line per violation in any namespace of this file. */
  violations(): readonly string[] {
    const { flows, jobs } = this.#parts().histories;
    return this.namespaces.flatMap((namespace) =>
      violations(flows.sightings(namespace), jobs.sightings(namespace)).map(
        (line) => `${namespace}: ${line}`,
      ),
    );
  }

  /** One line per parked item in any namespace of this file. */
  async parked(): Promise<readonly string[]> {
    const parked = await parkedItems(this.#parts().place);
    return parked
      .filter(({ item }) => this.namespaces.includes(item.key.namespace))
      .map(({ item, reason }) => `${item.function} ${keyText(item.key)}: ${reason}`);
  }

  #parts() {
    if (this.#started === undefined) throw new Error('the stack of this file is not up');
    return this.#started;
  }
}

/** Prefix of Millrace's keys for this cluster. */
async function prefixOf(api: ClusterApi): Promise<string> {
  const system = await api.get('Namespace', { namespace: '', name: 'kube-system' });
  if (system === undefined) throw new Error('the cluster has no namespace kube-system');
  return redisPrefix(system.metadata.uid);
}
