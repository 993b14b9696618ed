import { describe, expect, it } from 'vitest';
import type { MillraceError } from '#shared/domain/errors.ts';
import { pino } from 'pino';
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
