import { join } from 'node:path';
import { Redis as RedisClient } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSink } from '#functions/bridge/testing/listening-sink.ts';
import { product } from '#functions/processes.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { defaultSettings } from '#shared/installation/default-settings.ts';
import { installationOf } from '#shared/installation/installation.ts';
import { type ChildMain, startMain } from '#shared/runtime/testing/child-main.ts';
import { type ClusterClient, freshNamespace, openClient } from '#test/support/cluster-client.ts';
import { flow, step } from '#test/support/flows/flow-manifest.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { type RelayBroker, startRelayBroker } from '#test/support/relay-broker.ts';
import { describeWithCluster } from '#test/support/require.ts';

const functions = join(import.meta.dirname, '../../functions');
const patience = { timeout: 60_000, interval: 100 };
const { brokerOfBridge } = installationOf(product, defaultSettings(product.processes, '0.0.0'));
const triggers = brokerOfBridge.filter(({ kind }) => kind === 'Trigger');

describeWithCluster('the bridge as a ContainerSource runs it, and flow-advance', (cluster) => {
  let admin: ClusterClient;
  let redis: Redis;
  let namespace: string;
  let broker: RelayBroker;
  let states: Awaited<ReturnType<typeof openSink>>;
  const children: ChildMain[] = [];

  beforeAll(async () => {
    admin = await openClient(cluster.kubeconfig, 'bridge-as-source-test');
    redis = await startRedis();
    namespace = await freshNamespace(admin.client, 'bridge-as-source');
    const advance = await start('flow-advance', {
      // There is no webhook that records submitters here.
      MILLRACE_TRUST_NAMESPACES: 'true',
      MILLRACE_HOST: '::',
      MILLRACE_ALLOW_UNSIGNED: 'true',
    });
    broker = await startRelayBroker(triggers, new Map([['flow-advance', advance]]));
    states = await openSink(() => 202);
    await startBridge('3600');
  });
  afterAll(async () => {
    for (const child of children) {
      child.kill('SIGKILL');
      await child.exit;
    }
    await broker.stop();
    states.close();
    await Promise.all([admin[Symbol.asyncDispose](), redis.stop()]);
  });

  /** Runs under its own Role. Returns its address on loopback. */
  async function start(name: string, env: Readonly<Record<string, string>>): Promise<string> {
    const child = startMain(join(functions, name, 'main.ts'), {
      ...{ KUBECONFIG: cluster.kubeconfigs[name] ?? '', REDIS_URL: redis.url },
      ...{ PORT: '0', MILLRACE_LOG_FORMAT: 'json', ...env },
    });
    children.push(child);
    const url = new URL(await child.url);
    url.hostname = '127.0.0.1';
    return url.href;
  }

  const startBridge = (sweepSeconds: string): Promise<string> =>
    start('bridge', {
      MILLRACE_SERVED_NAMESPACE: namespace,
      MILLRACE_SWEEP_SECONDS: sweepSeconds,
      ...{ K_SINK: broker.url, MILLRACE_EVENTS_TO: states.url.href },
      K_CE_OVERRIDES: '{"extensions":{"team":"batch"}}',
    });
  const apply = (name: string, spec: Parameters<typeof flow>[2] = {}): Promise<KubeObject> => {
    const steps = [step('first'), step('second', { after: ['first'] })];
    const { metadata, ...rest } = flow(name, steps, spec);
    return admin.client.create(resources.JobFlow, {
      ...rest,
      metadata: { ...metadata, namespace },
    });
  };
  const stateOf = async (name: string): Promise<string | undefined> => {
    const found = await admin.client.get(resources.JobFlow, { namespace, name });
    return (found?.status as { readonly state?: string } | undefined)?.state;
  };
  const eventsOf = ({ metadata }: KubeObject) =>
    broker.received.filter(({ headers }) => headers['ce-uid'] === metadata.uid);

  it('brings a flow to its end by a broker, and puts nothing into the queue', async () => {
    const created = await apply('by-broker');
    await expect.poll(() => stateOf('by-broker'), patience).toBe('Succeed');
    const events = eventsOf(created);
    expect(events.length).toBeGreaterThan(3);
    for (const { headers } of events) {
      expect(headers).toMatchObject({
        'ce-type': 'dev.millrace.jobflow.due.v1',
        'ce-source': '/millrace/bridge/flow-advance',
        'ce-team': 'batch',
      });
    }
    const client = new RedisClient(redis.url);
    const keys = await client.keys('*');
    client.disconnect();
    expect(keys.filter((key) => key.includes('journal'))).not.toEqual([]);
    expect(keys.filter((key) => key.includes('flow-advance:'))).toEqual([]);
  });

  it('sends its states to a sink of its own, under the role that the bridge has anyway', async () => {
    const received = () =>
      states.received
        .filter(({ event }) => event.extensions['name'] === 'by-broker')
        .map(({ event }) => `${event.type} ${event.extensions['step'] ?? ''}`.trimEnd());
    const expected = ['succeed.v1', 'step.succeed.v1 first', 'step.succeed.v1 second'];
    await expect
      .poll(received, patience)
      .toEqual(expect.arrayContaining(expected.map((what) => `dev.millrace.jobflow.${what}`)));
  });

  it('sends again what a broker did not take, under the same id, until it does', async () => {
    broker.answer = 503;
    const created = await apply('by-broker-later');
    await expect.poll(() => eventsOf(created).length, patience).toBeGreaterThan(2);
    expect(await stateOf('by-broker-later')).toBeUndefined();
    broker.answer = 202;
    await expect.poll(() => stateOf('by-broker-later'), patience).toBe('Succeed');
    const events = eventsOf(created);
    const refused = events.filter(({ status }) => status === 503);
    const [id, ...others] = new Set(refused.map(({ headers }) => headers['ce-id']));
    expect(others).toEqual([]);
    const taken = events.filter(({ status }) => status === 202);
    expect(taken[0]?.headers['ce-id']).toBe(id);
  });

  it('looks with the next sweep at what a function put off, which a broker cannot', async () => {
    await startBridge('1');
    await apply('outlived', { ttlSecondsAfterFinished: 1 });
    const isThere = async () =>
      (await admin.client.get(resources.JobFlow, { namespace, name: 'outlived' })) !== undefined;
    await expect.poll(isThere, patience).toBe(false);
  });
});
