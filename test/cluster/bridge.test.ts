import { Registry } from 'prom-client';
import {
  afterAll,
  beforeAll,
  beforeEach,
  expect,
  it,
  onTestFailed,
  onTestFinished,
  vi,
} from 'vitest';
import { subscriptions } from '#functions/list.ts';
import { type Bridge, type BridgeOptions, createBridge } from '#functions/bridge/bridge.ts';
import { leaseLeadership } from '#functions/bridge/leadership.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import type { Journal } from '#shared/journal/journal.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { bindOwnRole } from '#test/support/cluster-parts.ts';
import {
  type ClusterClient,
  createFlow,
  freshNamespace,
  openClient,
  unmanagedJob,
} from '#test/support/cluster-client.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithCluster } from '#test/support/require.ts';
import { removePolicies } from '#test/support/suspension/remove-policies.ts';
import { Redis as RedisClient } from 'ioredis';

const patience = { timeout: 45_000, interval: 20 };
/** Long enough for a wrong event to arrive. */
const settleMs = 300;
const never = 3_600_000;

describeWithCluster('the bridge between a real API server and Redis', (cluster) => {
  let admin: ClusterClient;
  let own: ClusterClient;
  let redis: Redis;
  let namespace: string;
  let stores: { readonly journal: Journal; readonly queue: WorkQueue };

  beforeAll(async () => {
    admin = await openClient(cluster.kubeconfig, 'bridge-test');
    own = await openClient(cluster.kubeconfigs['bridge']!, 'bridge');
    redis = await startRedis({ persistence: true });
  });
  afterAll(async () => {
    await Promise.all([admin[Symbol.asyncDispose](), own[Symbol.asyncDispose](), redis.stop()]);
  });
  beforeEach(async () => {
    namespace = await freshNamespace(admin.client, 'bridge');
    stores = openStores();
    await emptyRedis();
  });

  /** Log lines of the bridge and its stores, printed with a failure. */
  let said: unknown[][] = [];
  const note = (...line: readonly unknown[]) => void said.push([new Date(), ...line]);
  const log = { info: note, warn: note, debug: note };
  beforeEach(() => {
    said = [];
    onTestFailed(() => console.log(said));
  });

  function openStores() {
    const options = {
      url: redis.url,
      log,
      timeoutMs: 1_000,
      prefix: '{bridge}',
    };
    const opened = { journal: createRedisJournal(options), queue: createBullmqQueue(options) };
    onTestFinished(async () => {
      await Promise.all([opened.journal.close(), opened.queue.close()]);
    });
    return opened;
  }

  async function emptyRedis(): Promise<void> {
    const client = new RedisClient(redis.url);
    await client.flushall();
    client.disconnect();
  }

  async function startBridge(changes: Partial<BridgeOptions> = {}) {
    const bridge: Bridge = createBridge({
      subscriptions,
      ...stores,
      client: own.client,
      clusterUid: await clusterUid(own.client),
      logger: log,
      metrics: new Registry(),
      clock: systemClock,
      random: Math.random,
      ...changes,
      times: {
        sweepMs: never,
        epochMs: 200,
        redeliver: { initialMs: 50, factor: 2, capMs: 500 },
        ...changes.times,
      },
    });
    const stopping = new AbortController();
    const running = bridge.run(stopping.signal);
    const stop = async (): Promise<void> => {
      stopping.abort();
      await running;
    };
    onTestFinished(stop);
    await expect.poll(() => bridge.synced, patience).toBe(true);
    return { bridge, stop };
  }

  const eventsOf = async ({ metadata }: KubeObject): Promise<readonly EventReference[]> =>
    (await stores.journal.read(undefined, 100_000)).flatMap(({ record }) =>
      record.kind === 'event' && record.event.uid === metadata.uid ? [record.event] : [],
    );
  const idsOf = async (object: KubeObject): Promise<readonly string[]> =>
    (await eventsOf(object)).map(({ id }) => id);

  /** The next item of this namespace. */
  async function takeNext(): Promise<WorkItem> {
    for (;;) {
      const lease = await stores.queue.take('flow-advance', AbortSignal.timeout(patience.timeout));
      if (lease === undefined) throw new Error(`no item within ${patience.timeout} ms`);
      await lease.ack();
      if (lease.item.key.namespace === namespace) return lease.item;
    }
  }

  /** Takes and settles everything that waits. Returns the items of this namespace. */
  async function takeAll(): Promise<readonly WorkItem[]> {
    const items: WorkItem[] = [];
    for (;;) {
      const lease = await stores.queue.take('flow-advance', AbortSignal.timeout(settleMs));
      if (lease === undefined) {
        // On a busy machine a fetch may time out before it has looked.
        if ((await stores.queue.depth('flow-advance')).waiting > 0) continue;
        return items;
      }
      if (lease.item.key.namespace === namespace) items.push(lease.item);
      await lease.ack();
    }
  }

  /** Where an item is expected: it may be stored later than the record of its event (publish-1). */
  const takeExpected = async () => [await takeNext(), ...(await takeAll())];

  const createJob = (name: string, owner: KubeObject, labels: JsonObject): Promise<KubeObject> =>
    admin.client.create(resources.Job, unmanagedJob(name, owner, { labels }));
  const labelled = (name: string, owner: KubeObject): Promise<KubeObject> =>
    createJob(name, owner, { 'millrace.dev/owner-uid': owner.metadata.uid });
  const nameOf = (object: KubeObject) => ({ namespace, name: object.metadata.name });
  const patchJob = (job: KubeObject, patch: JsonObject, subresource?: 'status') =>
    admin.client.patch(resources.Job, nameOf(job), patch, {
      type: 'merge',
      ...(subresource === undefined ? {} : { subresource }),
    });

  it('makes of one change of a Job with our label one record and one item for its flow', async () => {
    await startBridge();
    const flow = await createFlow(admin.client, namespace, 'f');
    await expect.poll(() => idsOf(flow), patience).toHaveLength(1);
    await takeExpected();
    const job = await labelled('f-a', flow);
    await expect.poll(() => idsOf(job), patience).toHaveLength(1);
    const items = await takeExpected();
    const [event] = await eventsOf(job);
    expect(await idsOf(job)).toEqual([`${job.metadata.uid}.${job.metadata.resourceVersion}`]);
    expect(event).toMatchObject({
      type: 'dev.millrace.job.changed.v1',
      subject: `/apis/batch/v1/namespaces/${namespace}/jobs/f-a`,
      owner: { kind: 'JobFlow', name: 'f', uid: flow.metadata.uid },
    });
    expect(items).toEqual([
      {
        function: 'flow-advance',
        key: {
          apiVersion: 'api.practice.com/v1alpha1',
          kind: 'JobFlow',
          namespace,
          name: 'f',
          uid: flow.metadata.uid,
        },
        cause: event!.id,
        traceparent: event!.traceparent,
      },
    ]);
  });

  it('neither reads nor records a Job without our label where there is no policy', async () => {
    await removePolicies(admin.client);
    const { bridge } = await startBridge();
    const flow = await createFlow(admin.client, namespace, 'f');
    const foreign = await createJob('foreign', flow, { app: 'x' });
    const job = await labelled('f-a', flow);
    await expect.poll(() => idsOf(job), patience).toHaveLength(1);
    expect(await idsOf(foreign)).toEqual([]);
    expect(bridge.views.of(resources.Job)?.get(namespace, 'foreign')).toBeUndefined();
  });

  it('passes on what decisions depend on, and nothing else', async () => {
    await startBridge();
    const flow = await createFlow(admin.client, namespace, 'f');
    await takeExpected();
    const job = await labelled('f-a', flow);
    await takeExpected();
    await patchJob(job, { metadata: { annotations: { 'example.com/note': 'x' } } });
    await patchJob(job, { status: { ready: 0, failed: 0 } }, 'status');
    expect(await takeAll()).toEqual([]);
    const started = { active: 1, startTime: '2026-11-21T10:00:00Z' };
    const active = await patchJob(job, { spec: { suspend: false }, status: started });
    const idAt = ({ metadata }: KubeObject) => `${metadata.uid}.${metadata.resourceVersion}`;
    await expect.poll(async () => (await idsOf(job)).at(-1), patience).toBe(idAt(active));
    // The changes between them would have been recorded before the last one.
    expect(await idsOf(job)).toEqual([idAt(job), idAt(active)]);
    expect(await takeExpected()).toHaveLength(1);
  });

  it('publishes a deletion with the version of the deletion', async () => {
    await startBridge();
    const flow = await createFlow(admin.client, namespace, 'f');
    const job = await labelled('f-a', flow);
    await expect.poll(() => idsOf(job), patience).toHaveLength(1);
    await admin.client.delete(resources.Job, nameOf(job), { propagation: 'Background' });
    await expect
      .poll(async () => (await eventsOf(job)).at(-1)?.type, patience)
      .toBe('dev.millrace.job.deleted.v1');
    const last = (await eventsOf(job)).at(-1)!;
    expect(last.id).toBe(`${job.metadata.uid}.${last.resourceVersion}.deleted`);
    expect(last.resourceVersion).not.toBe(job.metadata.resourceVersion);
  });

  it('wakes a flow that waits for a JobTemplate when the template appears', async () => {
    await startBridge();
    const flow = await admin.client.create(resources.JobFlow, {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobFlow',
      metadata: { namespace, name: 'f' },
      spec: { flows: [{ name: 'a', jobTemplateRef: 'later' }] },
    });
    await expect.poll(() => idsOf(flow), patience).toHaveLength(1);
    await takeExpected();
    const containers = [{ name: 'main', image: 'busybox' }];
    const template = await admin.client.create(resources.JobTemplate, {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobTemplate',
      metadata: { namespace, name: 'later' },
      spec: { jobTemplate: { template: { spec: { restartPolicy: 'Never', containers } } } },
    });
    await expect.poll(() => idsOf(template), patience).toHaveLength(1);
    const [cause] = await idsOf(template);
    expect(await takeExpected()).toMatchObject([{ key: { uid: flow.metadata.uid }, cause }]);
  });

  it('stops reading while Redis is down and loses nothing', async () => {
    const { bridge } = await startBridge();
    const flow = await createFlow(admin.client, namespace, 'f');
    await expect.poll(() => idsOf(flow), patience).toHaveLength(1);
    await takeExpected();
    await redis.kill();
    const first = await labelled('first', flow);
    await expect.poll(() => bridge.stats['Job']!.redeliveries, patience).toBeGreaterThan(1);
    const readSoFar = bridge.stats['Job']!.events;
    const others = await Promise.all(
      Array.from({ length: 20 }, (_, index) => labelled(`other-${index}`, flow)),
    );
    await patchJob(others[0]!, { spec: { suspend: false } });
    await admin.client.delete(resources.Job, nameOf(others[1]!), { propagation: 'Background' });
    await systemClock.sleep(settleMs);
    expect(bridge.stats['Job']!.events).toBe(readSoFar);
    await redis.restart();
    // The deletion was committed last.
    await expect
      .poll(async () => (await eventsOf(others[1]!)).at(-1)?.type, patience)
      .toBe('dev.millrace.job.deleted.v1');
    for (const job of [first, ...others.slice(2)]) expect(await idsOf(job)).toHaveLength(1);
    expect(await idsOf(others[0]!)).toHaveLength(2);
    expect(await idsOf(others[1]!)).toHaveLength(2);
    expect((await takeExpected()).map(({ key }) => key.uid)).toContain(flow.metadata.uid);
  });

  it('notices that Redis was emptied and enqueues everything again, without a sweep', async () => {
    await startBridge();
    const flows = await Promise.all(
      Array.from({ length: 50 }, (_, index) => createFlow(admin.client, namespace, `f${index}`)),
    );
    await expect.poll(() => idsOf(flows.at(-1)!), patience).toHaveLength(1);
    const taken = new Set<string>();
    while (taken.size < flows.length) taken.add((await takeNext()).key.uid);
    await emptyRedis();
    await expect.poll(() => idsOf(flows.at(-1)!), patience).toHaveLength(1);
    const uids: string[] = [];
    // It is recorded and enqueued at once.
    await expect
      .poll(async () => {
        uids.push(...(await takeAll()).map(({ key }) => key.uid));
        return uids.toSorted();
      }, patience)
      .toEqual(flows.map(({ metadata }) => metadata.uid).sort());
  });

  it('enqueues what is unfinished again each period, though no event came', async () => {
    await startBridge({ times: { sweepMs: 1_500 } });
    const flow = await createFlow(admin.client, namespace, 'f');
    for (let period = 0; period < 3; period += 1) {
      expect(await takeNext()).toMatchObject({ key: { uid: flow.metadata.uid } });
    }
    expect(await idsOf(flow)).toHaveLength(1);
  });

  it('gives one record per event and one item per flow when two run without a lease', async () => {
    const both = [stores, openStores()];
    const added = both.map(({ queue }) => vi.spyOn(queue, 'add'));
    // Nothing is taken before both bridges have enqueued. A fetch without waiting takes an item and gives it back, and
    // the other bridge's addition meanwhile would be another wake-up (queue-2).
    for (const own of both) await startBridge(own);
    const flow = await createFlow(admin.client, namespace, 'f');
    const hasEnqueued = ({ mock }: (typeof added)[number]) =>
      mock.calls.some(
        ([items], call) =>
          mock.settledResults[call]?.type === 'fulfilled' &&
          items.some(({ key }) => key.uid === flow.metadata.uid),
      );
    await expect.poll(() => added.every(hasEnqueued), patience).toBe(true);
    expect(await idsOf(flow)).toHaveLength(1);
    await expect.poll(takeAll, patience).toHaveLength(1);
  });

  it('publishes from one of two under a lease; the other takes over with what it missed', async () => {
    await bindOwnRole(cluster, 'bridge', namespace);
    const lead = (identity: string) =>
      leaseLeadership({
        client: own.client,
        lease: { namespace, name: 'millrace-bridge' },
        identity,
        clock: systemClock,
        random: Math.random,
        logger: log,
        // The lease is released at a stop. `lease-election` tests its expiry.
        times: { leaseMs: 60_000, renewMs: 30_000, retryMs: 100 },
      });
    const first = await startBridge({ leadership: lead('first') });
    await expect.poll(() => first.bridge.leading, patience).toBe(true);
    const second = await startBridge({ leadership: lead('second'), ...openStores() });
    const flow = await createFlow(admin.client, namespace, 'f');
    await expect.poll(() => idsOf(flow), patience).toHaveLength(1);
    expect(second.bridge.leading).toBe(false);
    const flowsInView = () => second.bridge.views.of(resources.JobFlow);
    await expect.poll(() => flowsInView()?.get(namespace, 'f'), patience).toBeDefined();
    await takeExpected();
    await first.stop();
    const missed = await createFlow(admin.client, namespace, 'missed');
    await expect.poll(() => second.bridge.leading, patience).toBe(true);
    await expect.poll(() => idsOf(missed), patience).toHaveLength(1);
    const names: string[] = [];
    await expect
      .poll(async () => {
        names.push(...(await takeAll()).map(({ key }) => key.name));
        return names;
      }, patience)
      .toContain('missed');
  });
});
