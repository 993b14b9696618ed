import { describe, expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { CreatedTraces } from './created-traces.ts';

const { Event, Job } = resources;
const [etl, report] = [asUid('etl'), asUid('report')];

function aProcess() {
  const time = { nowMs: 0 };
  return { time, created: new CreatedTraces({ monotonicMs: () => time.nowMs }) };
}

describe('what a process has created a moment ago', () => {
  it('is known by owner and resource, also what it found there already', () => {
    const { created } = aProcess();
    created.add(etl, [
      { done: 'create', resource: Job, name: 'a' },
      { done: 'adopt', resource: Job, name: 'b', trace: 'b/machine' },
      { done: 'patch', resource: Job, name: 'c' },
      { done: 'create', resource: Event, name: 'd' },
    ]);
    created.add(report, [{ done: 'create', resource: Job, name: 'e' }]);
    created.add(etl, [{ done: 'create', resource: Job, name: 'f' }]);
    expect(created.of(etl, Job)).toEqual(['a', 'b/machine', 'f']);
    expect(created.of(etl, Event)).toEqual(['d']);
    expect(created.of(report, Job)).toEqual(['e']);
    expect(created.of(asUid('another'), Job)).toEqual([]);
  });

  it('is not all that may be there when a plan failed, for half a minute after it', () => {
    const { created, time } = aProcess();
    expect(created.failedAtMs(etl)).toBe(-Infinity);
    time.nowMs = 1_000;
    created.fail(etl);
    time.nowMs = 2_000;
    created.fail(report);
    created.fail(etl);
    expect([etl, report].map((owner) => created.failedAtMs(owner))).toEqual([2_000, 2_000]);
    time.nowMs = 32_001;
    created.fail(asUid('another'));
    expect([etl, report].map((owner) => created.failedAtMs(owner))).toEqual([-Infinity, -Infinity]);
  });

  it('is known no more after half a minute, each by itself', () => {
    const { created, time } = aProcess();
    const create = (name: string): void =>
      created.add(etl, [{ done: 'create', resource: Job, name }]);
    create('a');
    time.nowMs = 20_000;
    create('b');
    time.nowMs = 30_000;
    expect(created.of(etl, Job)).toEqual(['a', 'b']);
    time.nowMs = 30_001;
    expect(created.of(etl, Job)).toEqual(['b']);
    create('c');
    expect(created.of(etl, Job)).toEqual(['b', 'c']);
    time.nowMs = 90_000;
    expect(created.of(etl, Job)).toEqual([]);
  });
});
