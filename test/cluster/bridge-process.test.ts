import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import type { Journal } from '#shared/journal/journal.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { everyFunctionAt } from '#functions/dispatcher/testing/every-function-at.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { silentLog } from '#shared/redis/log.ts';
import { type ChildMain, startMain } from '#shared/runtime/testing/child-main.ts';
import { entryOf } from '#shared/runtime/testing/process-entry.ts';
import {
  type ClusterClient,
  createFlow,
  freshNamespace,
  openClient,
} from '#test/support/cluster-client.ts';
import { collectSpans } from '#test/support/collect-spans.ts';
import { bindOwnRole } from '#test/support/cluster-parts.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { describeWithCluster } from '#test/support/require.ts';

const functionsFolder = join(import.meta.dirname, '../../functions');
const main = entryOf(join(functionsFolder, 'bridge/main.ts'));
const patience = { timeout: 45_000, interval: 50 };

interface BridgeProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Resolves with the exit code, or undefined after a signal. */
  readonly exited: Promise<number | undefined>;
}

describeWithCluster('the bridge as a process of its own, under its own role', (cluster) => {
  let admin: ClusterClient;
  let redis: Redis;
  let journal: Journal;
  let namespace: string;

  beforeAll(async () => {
    admin = await openClient(cluster.kubeconfig, 'bridge-process-test');
    redis = await startRedis();
    const prefix = redisPrefix(await clusterUid(admin.client));
    journal = createRedisJournal({ url: redis.url, log: silentLog, prefix });
    namespace = await freshNamespace(admin.client, 'bridge-process');
    await bindOwnRole(cluster, 'bridge', namespace);
  });
  afterAll(async () => {
    await journal.close();
    await Promise.all([admin[Symbol.asyncDispose](), redis.stop()]);
  });

  async function startBridge(changes: Record<string, string> = {}): Promise<BridgeProcess> {
    const child = spawn(process.execPath, [main], {
      env: {
        KUBECONFIG: cluster.kubeconfigs['bridge'],
        REDIS_URL: redis.url,
        PORT: '0',
        MILLRACE_HOST: '127.0.0.1',
        MILLRACE_NAMESPACE: namespace,
        ...changes,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = new Promise<number | undefined>((resolve) => {
      child.once('exit', (code) => resolve(code ?? undefined));
    });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    const readyLine = () => output.split('\n').find((line) => line.includes('"msg":"ready"'));
    await expect.poll(readyLine, { ...patience, message: output }).toBeDefined();
    const { url } = JSON.parse(readyLine()!) as { readonly url: string };
    await expect.poll(() => status(`${url}/health/readiness`), patience).toBe(200);
    return { child, url, exited };
  }

  function startOther(process: string, env: Readonly<Record<string, string>>): ChildMain {
    const child = startMain(join(functionsFolder, process, 'main.ts'), env);
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await child.exit;
    });
    return child;
  }

  const status = async (url: string): Promise<number> => (await fetch(url)).status;
  const recorded = async ({ metadata }: KubeObject): Promise<readonly string[]> =>
    (await journal.read(undefined, 100_000)).flatMap(({ record }) =>
      record.kind === 'event' && record.event.uid === metadata.uid ? [record.event.id] : [],
    );
  const isLeading = async ({ url }: BridgeProcess): Promise<boolean> =>
    /^millrace_bridge_leading(?:\{\})? 1$/m.test(await (await fetch(`${url}/metrics`)).text());

  it('is ready once it has listed, shows its reflectors, and ends with 0 on SIGTERM', async () => {
    const bridge = await startBridge();
    const flow = await createFlow(admin.client, namespace, 'shown');
    await expect.poll(() => recorded(flow), patience).toHaveLength(1);
    const metrics = await (await fetch(`${bridge.url}/metrics`)).text();
    expect(metrics).toContain('millrace_reflector_state{kind="JobFlow",state="watching"} 1');
    // Jobs are listed again if another test file applies a policy, which needs all of them.
    expect(metrics).toMatch(/millrace_reflector_lists_total\{kind="JobFlow"\} 1/);
    expect(await status(`${bridge.url}/health/liveness`)).toBe(200);
    bridge.child.kill('SIGTERM');
    expect(await bridge.exited).toBe(0);
    const lease = await admin.client.get(resources.Lease, { namespace, name: 'millrace-bridge' });
    expect((lease?.spec as { holderIdentity?: string }).holderIdentity ?? '').toBe('');
  });

  it('may elect itself by its own Lease, and touch no other one', async () => {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    const foreign = { namespace, name: 'kube-scheduler' };
    await admin.client.create(resources.Lease, { ...lease, metadata: foreign });
    const bridge = cluster.kubectlAs('bridge');
    const can = async (verb: string, name: string, where: string) =>
      (await bridge(['auth', 'can-i', verb, `leases/${name}`, '-n', where])).stdout.trim();
    for (const verb of ['get', 'patch']) {
      expect(await can(verb, 'millrace-bridge', namespace)).toBe('yes');
      expect(await can(verb, 'kube-scheduler', namespace)).toBe('no');
      expect(await can(verb, 'millrace-bridge', 'kube-system')).toBe('no');
    }
    const take = ['patch', 'lease', 'kube-scheduler', '-n', namespace, '--type=merge'];
    const taken = await bridge([...take, '-p', '{"spec":{"holderIdentity":"bridge"}}']);
    expect(taken.stderr).toContain('Forbidden');
    const elected = await startBridge();
    await expect.poll(() => isLeading(elected), patience).toBe(true);
    elected.child.kill('SIGTERM');
    expect(await elected.exited).toBe(0);
  });

  it('publishes after a kill -9 what happened meanwhile, and repeats no record', async () => {
    const first = await startBridge({ MILLRACE_NAMESPACE: '' });
    const before = await createFlow(admin.client, namespace, 'before');
    await expect.poll(() => recorded(before), patience).toHaveLength(1);
    first.child.kill('SIGKILL');
    await first.exited;
    const meanwhile = await createFlow(admin.client, namespace, 'meanwhile');
    await startBridge({ MILLRACE_NAMESPACE: '' });
    await expect.poll(() => recorded(meanwhile), patience).toHaveLength(1);
    expect(await recorded(before)).toHaveLength(1);
  });

  it('leaves the publishing to another one when it stood still beyond its lease', async () => {
    const first = await startBridge();
    await expect.poll(() => isLeading(first), patience).toBe(true);
    const second = await startBridge();
    expect(await isLeading(second)).toBe(false);
    first.child.kill('SIGSTOP');
    await expect.poll(() => isLeading(second), { timeout: 60_000, interval: 200 }).toBe(true);
    first.child.kill('SIGCONT');
    await expect.poll(() => isLeading(first), patience).toBe(false);
    const flow = await createFlow(admin.client, namespace, 'after');
    await expect.poll(() => recorded(flow), patience).toHaveLength(1);
  });

  it('begins the trace that dispatcher and function continue, one for each advance', async () => {
    await using collector = await collectSpans();
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, PORT: '0' };
    const own = (user: string) => ({ KUBECONFIG: cluster.kubeconfigs[user] ?? '', ...traced });
    // Items of a sweep or a change of the leader have another cause.
    const bridged = { MILLRACE_SERVED_NAMESPACE: namespace, MILLRACE_SWEEP_SECONDS: '3600' };
    const bridge = await startBridge({ ...traced, ...bridged });
    const advance = startOther('flow-advance', {
      ...{ ...own('flow-advance'), MILLRACE_TRUST_NAMESPACES: 'true' },
      ...{ REDIS_URL: redis.url, MILLRACE_SERVED_NAMESPACE: namespace },
    });
    const dispatcher = startOther('dispatcher', {
      // The other functions do not run here, so their items wait.
      ...everyFunctionAt('http://127.0.0.1:9'),
      ...{ ...own('dispatcher'), REDIS_URL: redis.url },
      MILLRACE_FUNCTION_FLOW_ADVANCE_URL: await advance.url,
    });
    await dispatcher.url;
    await expect.poll(() => isLeading(bridge), patience).toBe(true);
    const { metadata } = await createFlow(admin.client, namespace, 'traced');
    const eventId = `${metadata.uid}.${metadata.resourceVersion}`;
    const causeOfJob = async () => {
      const job = await admin.client.get(resources.Job, { namespace, name: 'traced-a' });
      return job?.metadata.annotations?.['millrace.dev/caused-by'];
    };
    await expect.poll(causeOfJob, patience).toBe(eventId);
    const ofFlow = () => {
      const event = collector.spans.find((span) => span.eventId === eventId);
      const { service, name, traceId } = event ?? {};
      // An item that a busy function did not answer in time is delivered again.
      const deliveries = collector.spans.filter(
        ({ parentSpanId }) => parentSpanId === event?.spanId,
      );
      const run = collector.spans.find(({ parentSpanId }) =>
        deliveries.some(({ spanId }) => spanId === parentSpanId),
      );
      const delivery = deliveries.find(({ spanId }) => spanId === run?.parentSpanId);
      const ids = new Set([traceId, delivery?.traceId, run?.traceId]);
      return [{ service, name }, delivery?.service, run?.service, ids.size];
    };
    await expect
      .poll(ofFlow, patience)
      .toEqual([
        { service: 'bridge', name: 'dev.millrace.jobflow.changed.v1' },
        ...['dispatcher', 'flow-advance', 1],
      ]);
  });

  it('says every fault of its configuration and ends with 1', async () => {
    const child = spawn(process.execPath, [main], {
      env: { REDIS_URL: 'http://x', PORT: 'many', MILLRACE_SWEEPS: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(1);
    expect(stderr).toMatch(/REDIS_URL.*PORT.*MILLRACE_SWEEPS/);
  });
});
