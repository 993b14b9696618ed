import { expect, it } from 'vitest';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { flow, job, ownedBy } from '#shared/domain/testing/objects.ts';
import { bridge } from './testing/writing-bridge.ts';

/** A larger call may exceed the deadline of the store. */
const most = 200;
const flows = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    flow({ name: `f${at}`, uid: `f${at}-uid`, version: '3' }),
  );
const childrenOf = (owner: KubeObject, count: number) =>
  Array.from({ length: count }, (_, at) =>
    job({
      ...{ name: `j${at}`, uid: `j${at}`, version: '4' },
      metadata: { ...ownedBy(owner), labels: { [labels.ownerUid]: owner.metadata.uid } },
    }),
  );

it('no call writes more than so many entries, each root counted as one', async () => {
  const { see, stored, calls, held } = bridge();
  const roots = flows(3 * most);
  see(resources.JobFlow, ...roots);
  await stored.ensure(resources.JobFlow, roots);
  const sizes = calls.map((roots) => roots.length);
  const entries = calls.map((roots) => roots.reduce((sum, each) => sum + each.entries.length, 0));
  for (const [at, size] of sizes.entries()) expect(size + entries[at]!).toBeLessThanOrEqual(most);
  const last = roots.at(-1)!.metadata.uid;
  expect(await held(last)).toEqual([`jobflows.api.practice.com/${last} 3`]);
});

it('a call is as full as it may be', async () => {
  const { see, stored, calls } = bridge();
  const roots = flows(most);
  see(resources.JobFlow, ...roots);
  await stored.ensure(resources.JobFlow, roots);
  // First only their versions are written, then the missing ones as a whole.
  expect(calls.map((roots) => roots.length)).toEqual([100, 100, 100, 100]);
});

it('a root that fills a call to the last entry is in it', async () => {
  const { see, stored, calls } = bridge();
  const [small, large] = flows(2) as [KubeObject, KubeObject];
  see(resources.JobFlow, small, large);
  // The small root counts as two entries, and the large one's own entry as one.
  see(resources.Job, ...childrenOf(large, most - 3));
  await stored.ensure(resources.JobFlow, [small, large]);
  expect(calls.map((roots) => roots.length)).toEqual([2, 2]);
});

it('a root is never divided, however many children it has, and no call is empty', async () => {
  const { see, stored, calls, held } = bridge();
  const [owner] = flows(1) as [KubeObject];
  see(resources.JobFlow, owner);
  see(resources.Job, ...childrenOf(owner, most + 50));
  await stored.ensure(resources.JobFlow, [owner]);
  expect(calls).toMatchObject([[{ isWhole: false }], [{ isWhole: true }]]);
  expect(await held(owner.metadata.uid)).toHaveLength(most + 51);
});
