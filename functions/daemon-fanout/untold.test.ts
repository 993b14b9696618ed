import { describe, expect, it } from 'vitest';
import type { DaemonJob, DaemonJobStatus } from '#shared/api/daemon-job.ts';
import type { LedgerEntry } from '#shared/api/node-ledger.ts';
import type { ObservedNode } from './snapshot.ts';
import { isUntold, replacing } from './untold.ts';

const startTime = '2026-03-02T08:00:00Z';
const own = (status: DaemonJobStatus = {}): DaemonJob =>
  ({
    metadata: { creationTimestamp: '2026-03-02T08:00:00Z' },
    status: { startTime, ...status },
  }) as DaemonJob;
const waiting = { state: 'Blocked', reason: replacing } as const;
const replaced = own({ nodes: [{ name: 'a', ...waiting }] });
const nodeOf = (creationTimestamp: string) => ({ name: 'a', creationTimestamp }) as ObservedNode;
const old = nodeOf('2026-03-02T07:00:00Z');
const late = nodeOf('2026-03-02T08:10:00Z');

describe.each<[string, LedgerEntry | undefined]>([
  ['first attempt', undefined],
  ['retry', { state: 'Retrying', attempt: 1 }],
])('a Job that was removed before the status told of it, of the name of the %s', (_, entry) => {
  it('was that of a machine which was there long before the start', () => {
    expect(isUntold(own(), old, entry)).toBe(true);
  });

  it('may have been that of the machine which had the name of a later one', () => {
    expect(isUntold(own(), late, entry)).toBe(false);
  });

  it('may have been that of another machine, however late the start is by the clock of who wrote it', () => {
    expect(isUntold(own({ startTime: '2026-03-02T09:00:00Z' }), late, entry)).toBe(false);
  });

  it('may have been that of another machine where the clock of the API server was set back before the start', () => {
    expect(isUntold(own({ startTime: '2026-03-02T07:00:05Z' }), old, entry)).toBe(false);
  });

  it('was that of another machine where one had to be removed', () => {
    expect(isUntold(replaced, old, entry)).toBe(false);
  });
});

it('says nothing new of an attempt that is on record', () => {
  expect(isUntold(own(), old, { state: 'Started', attempt: 0 })).toBe(false);
});
