import { expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { observe } from './observe.ts';
import { queuedFlow, snapshotOf, workloadOf } from './testing/queued.ts';
import { jobUidLabel } from './workload.ts';

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

it('a Workload that has lost its owner is that of the deleted flow by its name and label', async () => {
  const { key, workloadName } = (await seen([])) ?? snapshotOf(queued);
  const made = workloadOf(queued);
  const left = (metadata: Partial<KubeObject['metadata']>) => ({
    ...made,
    metadata: { ...made.metadata, ownerReferences: [], ...metadata },
  });
  const observedWith = (workload: KubeObject) => {
    const reader = {
      get: async (resource: unknown, { name }: { readonly name: string }) =>
        resource === resources.Workload && name === workloadName ? workload : undefined,
      listByOwner: async () => [],
    } as unknown as Reader;
    return observe(key, reader);
  };
  const orphan = left({ labels: { [jobUidLabel]: key.uid } });
  expect(await observedWith(orphan)).toMatchObject({ workloads: [orphan] });
  expect(await observedWith(left({ labels: {} }))).toBeUndefined();
  expect(await observedWith(made)).toBeUndefined();
});
