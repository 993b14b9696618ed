import { describe, expect, it } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { flowCase } from '../testing/flow-case.ts';
import type { StoredCluster } from '../testing/stored-cluster.ts';
import { forbiddenRetryMs } from './verdict-of-error.ts';
import { type Change, refusal, failing, unreadable, phaseOf } from '../testing/item-cases.ts';

describe('a conflict', () => {
  const stolen = (cluster: StoredCluster, times: number) => {
    const { client } = cluster;
    let left = times;
    const patch: KubeClient['patch'] = async (...args) => {
      left -= 1;
      if (left >= 0) cluster.touch('JobFlow', 'flow-a');
      return client.patch(...args);
    };
    return { client: { ...client, patch } };
  };
  it('is observed and decided again at once', async () => {
    const { cluster, process, item } = flowCase((stored) => stolen(stored, 3));
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(phaseOf(cluster)).toBe('Running');
    expect(cluster.objects('Job')).toHaveLength(1);
  });
  it('is left for later the fourth time', async () => {
    const { cluster, process, item } = flowCase((stored) => stolen(stored, 4));
    expect(await process(item)).toMatchObject({ kind: 'later' });
    expect(phaseOf(cluster)).toBeUndefined();
  });
  it('is read past a view that is behind', async () => {
    const { cluster, process, item } = flowCase(({ reader }) => {
      const old = reader.get(resources.JobFlow, { namespace: 'default', name: 'flow-a' });
      return { reader: { ...reader, get: () => old }, freshReader: reader };
    });
    cluster.touch('JobFlow', 'flow-a');
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(phaseOf(cluster)).toBe('Running');
  });
});

it('a pass asks the API server for the object alone while its view is not known to be behind', async () => {
  const asked: string[] = [];
  const { cluster, process, item } = flowCase(({ reader }) => ({
    freshReader: {
      get: (kind, name) => {
        asked.push(`${kind.kind}/${name.name}`);
        return reader.get(kind, name);
      },
      list: () => Promise.reject(new Error('lists')),
      listByOwner: () => Promise.reject(new Error('lists')),
      listByOwners: () => Promise.reject(new Error('lists')),
    },
  }));
  expect(await process(item)).toEqual({ kind: 'done' });
  expect(cluster.objects('Job')).toHaveLength(1);
  expect(asked).toEqual(['JobFlow/flow-a']);
});

describe('an error', () => {
  it.each<[string, Change, object]>([
    [
      'that may pass is retried',
      failing('patch', refusal('MR_API_UNREACHABLE')),
      { kind: 'retry' },
    ],
    [
      'of a busy server uses no attempt',
      failing('patch', refusal('MR_API_RETRYABLE', 3_000)),
      { kind: 'later', afterMs: 3_000 },
    ],
    ['of a server is retried', failing('patch', refusal('MR_API_RETRYABLE')), { kind: 'retry' }],
    ['of a read is retried', unreadable(refusal('MR_API_UNREACHABLE')), { kind: 'retry' }],
    [
      'for want of a permission is retried slowly, since it may be granted',
      unreadable(refusal('MR_API_FORBIDDEN')),
      { kind: 'retry', afterMs: forbiddenRetryMs },
    ],
    ['that stays is parked', unreadable(refusal('MR_API_REFUSED')), { kind: 'parked' }],
    ['of the program is retried', unreadable(new TypeError('oh')), { kind: 'retry', detail: 'oh' }],
  ])('%s', async (_name, change, verdict) => {
    const { process, item } = flowCase(change);
    expect(await process(item)).toMatchObject(verdict);
  });
  it('of a conflicting read is later, after three more tries', async () => {
    let reads = 0;
    const { process, item, registry } = flowCase(({ reader }) => ({
      reader: {
        ...reader,
        get: () => {
          reads += 1;
          return Promise.reject(refusal('MR_API_CONFLICT'));
        },
      },
    }));
    const { message } = refusal('MR_API_CONFLICT');
    expect(await process(item)).toEqual({ kind: 'later', detail: message });
    expect(reads).toBe(4);
    expect(await registry.metrics()).toContain('outcome="conflict"} 4');
  });
  it('in the middle of a plan loses nothing: the next run finishes it', async () => {
    const { cluster, process, item } = flowCase(failing('patch', refusal('MR_API_UNREACHABLE'), 1));
    expect(await process(item)).toMatchObject({ kind: 'retry' });
    expect(cluster.objects('Job')).toHaveLength(1);
    expect(await process(item)).toEqual({ kind: 'done' });
    expect(cluster.objects('Job')).toHaveLength(1);
    expect(phaseOf(cluster)).toBe('Running');
  });
});

it('writes nothing once it is called off, and counts no decision', async () => {
  const { cluster, process, item, registry } = flowCase();
  expect(await process(item, AbortSignal.abort())).toMatchObject({ kind: 'later' });
  expect(cluster.objects('Job')).toHaveLength(0);
  expect(await registry.metrics()).not.toContain('outcome="aborted"');
});

it('writes nothing more once it is called off in the middle of a plan', async () => {
  const stop = new AbortController();
  const { cluster, process, item, registry } = flowCase(({ client }) => ({
    client: {
      ...client,
      create: async (...args) => {
        stop.abort();
        return client.create(...args);
      },
    },
  }));
  expect(await process(item, stop.signal)).toMatchObject({ kind: 'later' });
  expect(cluster.objects('Job')).toHaveLength(1);
  expect(phaseOf(cluster)).toBeUndefined();
  expect(await registry.metrics()).toContain('outcome="aborted"} 1');
  expect(await process(item)).toEqual({ kind: 'done' });
  expect(phaseOf(cluster)).toBe('Running');
});
