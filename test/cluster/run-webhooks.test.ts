/**
 * The webhooks of `millrace run` on the real API server, from the start of the process to its
 * death.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { subscriptions } from '#functions/list.ts';
import { commandLine, type CommandLine, type CommandRun } from '#functions/millrace/testing/cli.ts';
import { processes } from '#functions/processes.ts';
import { roleName } from '#shared/api/roles.ts';
import { asUid, type Uid } from '#shared/domain/objects.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import { silentLog } from '#shared/redis/log.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { installAccounts } from '#test/support/installed-accounts.ts';
import { startRedis, type Redis } from '#test/support/redis.ts';
import { describeWithCluster } from '#test/support/require.ts';

const namespace = 'run-webhooks';
const patience = { timeout: 45_000 };

const step = (name: string, dependency: string) => ({
  name,
  dependencies: [dependency],
  jobTemplate: { template: { spec: { containers: [{ name: 'main', image: 'busybox' }] } } },
});
const isAllowed = (decision: unknown) => (decision as { readonly allowed: boolean }).allowed;
const cycle = JSON.stringify({
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobFlow',
  metadata: { generateName: 'cycle-' },
  spec: { flows: [step('a', 'b'), step('b', 'a')] },
});

describeWithCluster('millrace run', (cluster) => {
  let redis: Redis;
  let cli: CommandLine;

  beforeAll(async () => {
    redis = await startRedis();
    cli = await commandLine();
    await kubectlOrThrow(cluster.kubectl, ['create', 'namespace', namespace]);
  });
  afterAll(async () => {
    await cli[Symbol.asyncDispose]();
    await redis.stop();
    await kubectlOrThrow(cluster.kubectl, ['delete', 'namespace', namespace, '--wait=false']);
  });

  const start = async (...flags: readonly string[]): Promise<CommandRun> => {
    const run = cli.start([
      ...['run', '--kubeconfig', cluster.kubeconfig, '--redis', redis.url, '--port', '0'],
      ...['--namespace', namespace, '--log-format', 'json', ...flags],
    ]);
    await run.said(/flows are being served/);
    return run;
  };
  /** For this namespace, because other suites have webhooks of their own. */
  const registered = async (): Promise<number> => {
    const kinds = 'mutatingwebhookconfigurations,validatingwebhookconfigurations';
    const listed = await kubectlOrThrow(cluster.kubectl, ['get', kinds, '-o', 'json']);
    const { items } = JSON.parse(listed) as { readonly items: readonly unknown[] };
    return items.filter((item) => JSON.stringify(item).includes(namespace)).length;
  };
  const clusterUid = async (): Promise<Uid> => {
    const args = ['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}'];
    return asUid(await kubectlOrThrow(cluster.kubectl, args));
  };
  const submit = () => cluster.kubectl(['-n', namespace, 'create', '-f', '-'], { input: cycle });
  const untilRefused = () =>
    vi.waitFor(async () => {
      const { stderr } = await submit();
      expect(stderr).toContain(
        'admission webhook "flow-validation.millrace.dev" denied the request: spec.flows[0].dependencies[0]: the dependencies form a cycle: a -> b -> a',
      );
    }, patience);

  it('records what was refused, and who asked for it, when the answer is out', async () => {
    const run = await start();
    await untilRefused();
    const prefix = `${redisPrefix(await clusterUid())}:reviews`;
    const journal = createRedisJournal({ url: redis.url, prefix, log: silentLog });
    const refusals = async () => {
      const records = (await journal.read(undefined, 1_000)).map(({ record }) => record);
      return records.filter((record) => record.kind === 'review' && !isAllowed(record.decision));
    };
    await expect.poll(refusals, patience).toContainEqual(
      expect.objectContaining({
        admission: 'flow-validation',
        answered: true,
        review: expect.objectContaining({
          namespace,
          user: expect.objectContaining({ username: 'admin' }) as unknown,
        }) as unknown,
      }),
    );
    await journal.close();
    run.child.kill('SIGTERM');
    expect(await run.exited).toBe(0);
  });

  it('registers webhooks; after a kill they refuse flows and no Job, the next start leaves nothing of them, an end nothing at all', async () => {
    const first = await start();
    await untilRefused();
    first.child.kill('SIGKILL');
    await first.exited;
    expect(await registered()).toBe(2);
    const { code, stderr } = await submit();
    expect(code).toBe(1);
    expect(stderr).toContain('failed calling webhook "flow-validation.millrace.dev"');
    await kubectlOrThrow(cluster.kubectl, [
      ...['-n', namespace, 'create', 'job', 'of-the-cluster', '--image=busybox'],
    ]);

    const second = await start();
    await untilRefused();
    expect(await registered()).toBe(2);
    second.child.kill('SIGTERM');
    expect(await second.exited).toBe(0);
    expect(await registered()).toBe(0);
  });

  it('serves flows without webhooks where it may not register any, and says so', async () => {
    // Every Role of a part of `millrace run` except the webhooks.
    const names = ['bridge', ...subscriptions.map(({ name }) => name)];
    const accounts = await installAccounts(
      cluster,
      processes.filter(({ name }) => names.includes(name)),
      namespace,
    );
    const account = `--serviceaccount=${namespace}:bridge`;
    const bindings = names.map((name) => ['clusterrolebinding', `${namespace}-also-${name}`]);
    try {
      for (const [index, name] of names.entries()) {
        const role = `--clusterrole=${roleName(name)}`;
        await kubectlOrThrow(cluster.kubectl, ['create', ...bindings[index]!, role, account]);
      }
      const run = await start('--kubeconfig', accounts.kubeconfigOf('bridge'));
      expect(run.stderr()).toContain('no webhooks: the rights to register them are missing');
      expect(await registered()).toBe(0);
      run.child.kill('SIGTERM');
      expect(await run.exited).toBe(0);
    } finally {
      for (const binding of bindings) await kubectlOrThrow(cluster.kubectl, ['delete', ...binding]);
      await accounts.remove();
    }
  });

  it('registers none with --no-webhooks', async () => {
    const without = await start('--no-webhooks');
    expect(await registered()).toBe(0);
    without.child.kill('SIGTERM');
    expect(await without.exited).toBe(0);
  });
});
