import { expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { observe } from './observe.ts';
import { queuedFlow, snapshotOf, workloadOf } from './testing/queued.ts';

const queued = queuedFlow();

/** Without `workloads`, the API server does not serve their kind. */
function seen(workloads?: readonly KubeObject[]) {
  const notServed = new MillraceError('MR_API_NOT_FOUND', { verb: 'list', path: '', detail: '' });
  const reader = {
    get: async () => queued,
    listByOwner: async (resource: unknown) => {
      if (resource === resources.Workload && workloads === undefined) throw notServed;
      return resource === resources.Workload ? workloads : [];
    },
  } as unknown as Reader;
  return observe(snapshotOf(queued).key, reader);
}

it('a queued flow lacks Kueue only when the API server does not serve Workloads', async () => {
  const workload = workloadOf(queued);
  expect(await seen()).toMatchObject({ lacksKueue: true, workloads: [] });
  expect(await seen([])).not.toHaveProperty('lacksKueue');
  expect(await seen([workload])).toMatchObject({ workloads: [workload] });
});
