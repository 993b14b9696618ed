import { expect, it } from 'vitest';
import type { ReviewRecord } from '#shared/admission/review-record.ts';
import { virtualClock } from '#shared/domain/testing/virtual-clock.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import { reviewJournal } from './review-journal.ts';

const resource = { group: 'api.practice.com', version: 'v1alpha1' };

function record(object = { metadata: { name: 'etl' } }): ReviewRecord {
  return {
    ...{ kind: 'review', admission: 'flow-validation', version: '1.2.3', nowMs: 5, answered: true },
    review: {
      ...{ uid: 'u', operation: 'UPDATE', subresource: '', namespace: 'team-a', name: 'etl' },
      kind: { ...resource, kind: 'JobFlow' },
      resource: { ...resource, plural: 'jobflows' },
      ...{ object, oldObject: object, dryRun: false },
      user: { username: 'ann', groups: [], extra: {} },
    },
    facts: { mayCreateJobs: { allowed: true } },
    decision: { allowed: true, warnings: ['look'], patch: [{ op: 'remove', path: '/a' }] },
  };
}

const memory = () => createMemoryJournal({ clock: virtualClock() });

it('keeps what was asked, what was known and what was answered', async () => {
  const store = memory();
  const journal = reviewJournal(() => Promise.resolve(store));
  await journal.record(record());
  const entries = await store.read(undefined, 10);
  expect(entries.map((entry) => entry.record)).toEqual([{ ...record(), format: 2 }]);
});

it('leaves objects and facts out of a review that is too large for a journal of many', async () => {
  const store = memory();
  const journal = reviewJournal(() => Promise.resolve(store));
  await journal.record(record({ metadata: { name: 'x'.repeat(100_000) } }));
  const [kept] = (await store.read(undefined, 10)).map((entry) => entry.record);
  expect(kept).toMatchObject({
    admission: 'flow-validation',
    review: { operation: 'UPDATE', namespace: 'team-a', name: 'etl', user: { username: 'ann' } },
    decision: { allowed: true, warnings: ['look'] },
    leftOutBytes: expect.closeTo(200_700, -3) as number,
  });
  expect(JSON.stringify(kept).length).toBeLessThan(1_000);
});

it('is opened with the first record, once, and closed where it was opened', async () => {
  let opened = 0;
  let closed = 0;
  const open = async () => {
    opened += 1;
    return { ...memory(), close: async () => void (closed += 1) };
  };
  const unused = reviewJournal(open);
  await unused.close();
  expect([opened, closed]).toEqual([0, 0]);
  const journal = reviewJournal(open);
  await Promise.all([journal.record(record()), journal.record(record())]);
  await journal.close();
  expect([opened, closed]).toEqual([1, 1]);
});

it('loses what came while it could not be opened, and tries again with the next', async () => {
  const store = memory();
  let isDown = true;
  const journal = reviewJournal(async () => {
    if (isDown) throw new Error('the cluster is unknown');
    return store;
  });
  await expect(journal.record(record())).rejects.toThrow('the cluster is unknown');
  isDown = false;
  await journal.record(record());
  expect(await store.read(undefined, 10)).toHaveLength(1);
});
