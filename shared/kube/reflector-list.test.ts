import { describe, expect, it } from 'vitest';
import { asResourceVersion } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import type { KubeClient } from './client.ts';
import { listEverything } from './reflector-list.ts';

const signal = new AbortController().signal;

function listing(list: KubeClient['list']) {
  const clock = virtualClock();
  const client = { list } as KubeClient;
  const scope = { namespace: 'team' };
  const limits = { pageLimit: 1, pageTimeoutMs: 1_000 };
  const listed = listEverything({
    client,
    clock,
    resource: resources.Job,
    scope,
    ...limits,
    signal,
  });
  return { clock, listed };
}

describe('the pages of a list', () => {
  it('are waited for no longer than until they are there', async () => {
    const resourceVersion = asResourceVersion('7');
    const { clock, listed } = listing(async (_, { continue: next }) =>
      next === undefined
        ? { resourceVersion, items: [], continue: 'next' }
        : { resourceVersion, items: [] },
    );
    expect(await listed).toEqual({ resourceVersion, items: [] });
    expect(clock.sleepers()).toBe(0);
  });

  it('are given up when one does not come in time', async () => {
    const { clock, listed } = listing(
      (_, options) =>
        new Promise((__, reject) => {
          options.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error));
        }),
    );
    const failed = expect(listed).rejects.toMatchObject({
      code: 'MR_API_UNREACHABLE',
      fields: {
        verb: 'list',
        path: '/apis/batch/v1/namespaces/team/jobs',
        detail: 'no page within 1000 ms',
      },
    });
    await clock.advance(1_000);
    await failed;
    expect(clock.sleepers()).toBe(0);
  });
});
