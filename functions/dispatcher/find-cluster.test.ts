import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MillraceError } from '#shared/domain/errors.ts';
import { pino } from 'pino';
import { LoopbackApiServer } from '#test/support/loopback-api-server.ts';
import { kubeconfigFor } from '#test/support/loopback-kubeconfig.ts';
import type { DispatcherSettings } from './configuration.ts';
import { clusterFinder } from './find-cluster.ts';

const logger = pino({ level: 'silent' });
const never = new AbortController().signal;
const find = (settings: Partial<DispatcherSettings>) =>
  clusterFinder(settings as DispatcherSettings, logger);

describe('the cluster of the dispatcher', () => {
  it('is the one that is named, and nothing is asked', async () => {
    const findCluster = await find({ clusterUid: 'a-cluster', kubeconfig: '/nonexistent/config' });
    expect(await findCluster(never)).toBe('a-cluster');
  });

  it('is asked of the API server by name of the dispatcher, and its connection is closed then', async () => {
    const api = await LoopbackApiServer.start();
    onTestFinished(() => api.close());
    const metadata = { name: 'kube-system', uid: 'b-cluster', resourceVersion: '1' };
    api.on({ path: '/api/v1/namespaces/kube-system' }, (exchange) =>
      exchange.json(200, { apiVersion: 'v1', kind: 'Namespace', metadata }),
    );
    const folder = await mkdtemp(join(tmpdir(), 'millrace-find-cluster-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const kubeconfig = join(folder, 'config');
    await writeFile(kubeconfig, kubeconfigFor(api.url));
    const findCluster = await find({ kubeconfig });
    expect(api.requests).toEqual([]);
    expect(await findCluster(never)).toBe('b-cluster');
    const agents = api.requests.map(({ headers }) => headers['user-agent']);
    expect(agents).toEqual([expect.stringMatching(/dispatcher/)]);
    await expect.poll(() => api.openConnections).toBe(0);
  });

  it('is unknown where no configuration can be used, with the reason of that as the cause', async () => {
    const error: unknown = await find({ kubeconfig: '/nonexistent/config' }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'MR_CLUSTER_UNKNOWN' });
    const { cause, message } = error as MillraceError;
    expect(cause).toMatchObject({ code: 'MR_KUBECONFIG_UNUSABLE' });
    expect(message).toContain((cause as MillraceError).message);
  });
});
