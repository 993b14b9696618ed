/** Two `millrace run` with one Lease, and their flows when the leader dies. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { commandLine, type CommandLine, type CommandRun } from '#functions/millrace/testing/cli.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
import { ClusterApi } from '#test/support/flows/cluster-api.ts';
import { flow, step } from '#test/support/flows/flow-manifest.ts';
import { startRedis, type Redis } from '#test/support/redis.ts';
import { describeWithCluster } from '#test/support/require.ts';

const namespace = 'run-replicas';
/** A Lease that is not renewed is taken within 9 s of its last observed change. */
const patience = { timeout: 60_000 };

describeWithCluster('two processes of `millrace run` with one lease', (cluster) => {
  let redis: Redis;
  let cli: CommandLine;
  let api: ClusterApi;

  beforeAll(async () => {
    redis = await startRedis();
    cli = await commandLine();
    const { server, caFile, adminToken: token } = cluster;
    api = new ClusterApi({ server, caFile, token });
    await api.create('', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });
  afterAll(async () => {
    await cli[Symbol.asyncDispose]();
    await api.close();
    await redis.stop();
  });

  const start = (): CommandRun =>
    cli.start([
      ...['run', '--kubeconfig', cluster.kubeconfig, '--redis', redis.url, '--port', '0'],
      ...['--namespace', namespace, '--lease-namespace', namespace, '--no-webhooks'],
      ...['--log-format', 'json'],
    ]);
  const hasDecided = ({ stderr }: CommandRun): boolean => stderr().includes('plan applied');
  const untilEnded = (name: string) =>
    vi.waitFor(async () => {
      const found = await api.get('JobFlow', { namespace, name });
      expect(fieldsOf(found?.status)['state']).toBe('Succeed');
    }, patience);

  it('work one at a time, and the other one goes on when it is killed', async () => {
    const first = start();
    await first.said(/"leading":true/);
    const second = start();
    await second.said(/flows are being served/);
    await api.apply(namespace, flow('before', [step('a'), step('b', { after: ['a'] })]));
    await untilEnded('before');
    expect([first, second].map(hasDecided)).toEqual([true, false]);
    await api.apply(
      namespace,
      flow('during', [step('a', { runFor: '1s' }), step('b', { after: ['a'] })]),
    );
    first.child.kill('SIGKILL');
    await api.apply(namespace, flow('after', [step('a'), step('b', { after: ['a'] })]));
    await untilEnded('during');
    await untilEnded('after');
    expect(hasDecided(second)).toBe(true);
  });
});
