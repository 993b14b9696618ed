/** The nodes in the status. The end of node z causes a write. */
import { describe, expect, it } from 'vitest';
import { at, cordoned, daemonJob, job, node, snapshot, started } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';
import { isSettled } from './entries.ts';
import { openSituation } from './situation.ts';

const ending = job('z', 'complete');
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

describe('the ledger', () => {
  it.each([
    [500, 'Succeeded'],
    [501, undefined],
  ])('keeps entries of machines that are gone, %d of them: %s', (count, kept) => {
    const gone = Object.fromEntries(names(count).map((name) => [name, 'Succeeded' as const]));
    const owner = daemonJob({ status: started({ ...gone, z: 'Started' }) });
    const result = decided(snapshot(owner, { nodes: ['z'], jobs: [ending] }), 20);
    expect(result.ledger('n0')).toBe(kept);
    expect(result.ledger('z')).toBe('Succeeded');
  });

  it('is none where nothing was started', () => {
    const nodes = [node('a', { skip: cordoned })];
    expect(decided(snapshot(daemonJob(), { nodes })).status).not.toHaveProperty('ledger');
  });

  it('says nothing of a node that has not had its turn', () => {
    const owner = daemonJob({ spec: { parallelism: 1 } });
    const result = decided(snapshot(owner, { nodes: ['a', 'b'] }));
    expect([result.ledger('a'), result.ledger('b')]).toEqual(['Started', undefined]);
  });

  it.each([
    ['is Retired where its Job is in sight', undefined, ['a'], 'Retired'],
    ['is Retired where its Job is on record and known to be gone', 'Started', [], 'Retired'],
    ['stays what it is where its Job is not', 'Retrying', [], 'Retrying'],
  ] as const)('of an excluded node %s', (_, known, inSight, entry) => {
    const status = started({ ...(known === undefined ? {} : { a: known }), z: 'Started' });
    const owner = daemonJob({ spec: { excludeNodeList: 'a' }, status });
    const jobs = [ending, ...inSight.map((name) => job(name, 'running'))];
    expect(
      decided(
        snapshot(owner, { nodes: ['a', 'z'], jobs, confirmedMissing: ['wipe-a'] }),
        20,
      ).ledger('a'),
    ).toBe(entry);
  });
});

describe('the entries', () => {
  it('are a hundred at most', () => {
    const nodes = names(101).map((name) => node(name, { skip: cordoned }));
    expect(decided(snapshot(daemonJob(), { nodes })).status.nodes).toHaveLength(100);
  });

  it('name a Job only where there is one', () => {
    const owner = daemonJob({ status: started({ a: 'Started', z: 'Started' }) });
    const nodes = [node('a'), node('b', { skip: cordoned }), node('z')];
    const result = decided(snapshot(owner, { nodes, jobs: [job('a', 'failed'), ending] }), 20);
    expect(result.entry('b')).toEqual({ name: 'b', state: 'Skipped', ...cordoned });
    expect(result.entry('a')).toMatchObject({ state: 'Failed', jobName: 'wipe-a' });
    const refused = { reason: 'Forbidden', message: 'not here' };
    const rejections = [{ name: 'wipe-a', code: 'Forbidden' as const, message: 'not here' }];
    const blocked = decided(snapshot(daemonJob(), { nodes: ['a'], rejections }));
    expect(blocked.entry('a')).toEqual({ name: 'a', state: 'Blocked', ...refused });
  });
});

describe('the Jobs of one that is suspended', () => {
  const suspended = (status: string, type = 'Suspended') =>
    job('a', 'suspended', {
      startTime: at(1),
      conditions: [{ type, status, lastTransitionTime: at(9) }],
    });

  it.each([
    ['have stopped where one has ended', job('a', 'complete'), true],
    ['have stopped where one has never started', job('a', 'suspended', { conditions: [] }), true],
    ['have stopped where one says so', suspended('True'), true],
    ['have not where one says that it is not', suspended('False'), false],
    ['have not where one says something else', suspended('True', 'Other'), false],
    ['have not where one is not suspended', job('a', 'pending'), false],
  ])('%s', (_, one, isStopped) => {
    const seen = snapshot(daemonJob(), { nodes: ['a'], jobs: [one] });
    expect(isSettled(openSituation(seen, { nowMs: 0 }))).toBe(isStopped);
  });
});
