import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis as RedisClient } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { KubeObject, Uid } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { createLogger } from '#shared/runtime/process/telemetry.ts';
import { type RunningUp, startUp } from '#functions/millrace/up/start-up.ts';
import { recordedDecisions } from '#test/support/flows/redis-contents.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithRedis } from '#test/support/require.ts';

const namespace = 'default';
const flowNames = Array.from({ length: 10 }, (_, number) => `flow-${number}`);

function flowNamed(name: string) {
  const template = {
    metadata: { annotations: { 'sandbox.millrace.dev/run-seconds': '0.05' } },
    spec: { containers: [{ name: 'main', image: 'busybox:1.28' }] },
  };
  const step = { name: 'only', jobTemplate: { template } };
  const { apiVersion, kind } = { apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow' };
  return { apiVersion, kind, metadata: { name, namespace }, spec: { flows: [step] } };
}

describeWithRedis('two clusters on one Redis', () => {
  let redis: Redis;
  let folder: string;
  const running: RunningUp[] = [];
  beforeEach(async () => {
    redis = await startRedis();
    folder = await mkdtemp(join(tmpdir(), 'millrace-apart-'));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((cluster) => cluster.stop()));
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function startCluster(): Promise<RunningUp> {
    const options = { name: 'millrace', version: '0', level: 'silent', format: 'json' } as const;
    const logger = await createLogger({ ...options, destination: process.stderr });
    const started = await startUp({
      ...{ port: 0, nodes: 1, speed: 1, runCommands: false, webhooks: false, logger },
      ...{ redis: redis.url, stateRoot: folder },
    });
    running.push(started);
    return started;
  }

  const clientOf = ({ cluster }: RunningUp) =>
    cluster.client({ user: 'test', fieldManager: 'test' });
  const uidOf = (cluster: RunningUp): Promise<Uid> => clusterUid(clientOf(cluster));
  const applyFlows = async (cluster: RunningUp): Promise<void> => {
    for (const name of flowNames)
      await clientOf(cluster).create(resources.JobFlow, flowNamed(name));
  };
  const states = async (cluster: RunningUp): Promise<readonly (string | undefined)[]> => {
    const { items } = await clientOf(cluster).list(resources.JobFlow, {});
    return items.map((flow) => (flow as KubeObject & JobFlow).status?.state);
  };
  const allKeys = async (): Promise<readonly string[]> => {
    const client = new RedisClient(redis.url);
    return client.keys('*').finally(() => client.disconnect());
  };
  const decidedFlows = async (of: Uid): Promise<ReadonlySet<string>> => {
    const decisions = await recordedDecisions({ url: redis.url, prefix: redisPrefix(of) });
    return new Set(decisions.map(({ key }) => key.uid));
  };
  const flowUids = async (cluster: RunningUp): Promise<ReadonlySet<string>> => {
    const { items } = await clientOf(cluster).list(resources.JobFlow, {});
    return new Set(items.map(({ metadata }) => metadata.uid));
  };

  it('take none of the work of one another', async () => {
    const clusters = await Promise.all([startCluster(), startCluster()]);
    const uids = await Promise.all(clusters.map(uidOf));
    expect(new Set(uids).size).toBe(2);
    await Promise.all(clusters.map(applyFlows));
    const done = flowNames.map(() => 'Succeed');
    for (const cluster of clusters) {
      await expect.poll(() => states(cluster)).toEqual(done);
    }
    const prefixes = uids.map((uid) => `${redisPrefix(uid)}:`);
    const strays = (await allKeys()).filter((key) => !prefixes.some((own) => key.startsWith(own)));
    expect(strays).toEqual([]);
    for (const [index, cluster] of clusters.entries()) {
      expect(await decidedFlows(uids[index]!)).toEqual(await flowUids(cluster));
    }
  });
});
