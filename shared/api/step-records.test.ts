import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FlowStep, StepRecord } from './job-flow.ts';
import { stepStates } from './job-flow-status.ts';
import { asStored, isPlain, wholeListSteps, withAllRecords } from './step-records.ts';

const flowName = { name: 'etl' };
const many = (count: number): readonly FlowStep[] =>
  Array.from({ length: count }, (_, index) => ({ name: `s${1000 + index}` }));
const each = (flows: readonly FlowStep[], fields: (index: number) => Partial<StepRecord>) =>
  flows.map(({ name }, index): StepRecord => ({ name, state: 'Waiting', ...fields(index) }));
const long = many(400);

function reread(flows: readonly FlowStep[], records: readonly StepRecord[]) {
  const stored = asStored(flows, { jobStatusList: records });
  return { stored, records: withAllRecords(flowName, flows, stored).jobStatusList ?? [] };
}

describe('the status of a flow', () => {
  it('has an entry for each step of a flow of 200, as it is', () => {
    const flows = many(wholeListSteps);
    const status = { jobStatusList: each(flows, () => ({ state: 'Succeed' })) };
    expect(asStored(flows, status)).toBe(status);
    expect(withAllRecords(flowName, flows, status)).toBe(status);
  });

  it('records the steps of a longer one by their positions', () => {
    const { stored } = reread(
      long,
      each(long, (index) => {
        if (index < 40 || index === 42) return { state: 'Succeed', completionTime: 'x' };
        if (index === 41) return { state: 'Succeed', attempt: 1 };
        if (index < 50)
          return { state: 'Running', jobName: `etl-s${1000 + index}`, startTime: 'x' };
        if (index > 397) return { state: 'Skipped', reason: 'UpstreamFailed', message: 'x' };
        return { reason: 'DependenciesPending', message: 'waiting for s1' };
      }),
    );
    expect(stored.jobStatusList?.map(({ name }) => name)).toEqual(
      [40, 41, 43, 44, 45, 46, 47, 48, 49].map((index) => `s${1000 + index}`),
    );
    expect(stored.stepStates).toEqual({
      Succeed: '0-39,42',
      'Skipped/0/UpstreamFailed': '398-399',
    });
  });

  it('has at most 200 entries with words, those first that need them', () => {
    const flows = many(1_000);
    const running = { state: 'Running', jobName: 'x', startTime: 'x' } as const;
    const failed = { state: 'Failed', reason: 'DeadlineExceeded', message: 'why' } as const;
    const { stored } = reread(
      flows,
      each(flows, (index) => (index >= 700 ? { ...failed, attempt: 2 } : running)),
    );
    expect(stored.jobStatusList).toHaveLength(wholeListSteps);
    expect(stored.jobStatusList?.[0]).toMatchObject({ name: 's1700', message: 'why' });
    expect(stored.stepStates).toEqual({
      Running: '0-699',
      'Failed/2/DeadlineExceeded': '900-999',
    });
    const size = JSON.stringify(stored).length;
    expect(size).toBeLessThan(40_000);
  });

  it('keeps the time of each next attempt, of however many', () => {
    const flows = many(1_000);
    const retry = { attempt: 1, reason: 'RetryBackoff', message: 'x', nextRetryTime: 't' };
    const { stored, records } = reread(
      flows,
      each(flows, () => retry),
    );
    expect(stored.jobStatusList).toHaveLength(1_000);
    expect(stored.jobStatusList?.filter(({ message }) => message !== undefined)).toHaveLength(200);
    expect(records.every(({ nextRetryTime }) => nextRetryTime === 't')).toBe(true);
  });

  it('returns what was recorded of each step: state, attempt, reason, and its Job', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            state: fc.constantFrom(...stepStates),
            attempt: fc.constantFrom(undefined, 0, 1, 7),
            reason: fc.constantFrom(undefined, 'DependenciesPending', 'QuotaExceeded', 'Failed'),
          }),
          { minLength: 400, maxLength: 400 },
        ),
        (states) => {
          const recorded = each(long, (index) => states[index] as Partial<StepRecord>);
          const essence = (record: StepRecord) =>
            isPlain(record)
              ? 'waits'
              : [record.state, record.attempt ?? 0, record.reason].join(' ');
          expect(reread(long, recorded).records.map(essence)).toEqual(recorded.map(essence));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('returns the same of each step when the spec is written in another order (rule 16)', () => {
    const recorded = each(long, (index) =>
      index % 3 === 0 ? { state: 'Succeed' } : { state: 'Skipped', reason: 'UpstreamFailed' },
    );
    const stored = asStored(long, { jobStatusList: recorded });
    const again = withAllRecords(flowName, long.toReversed(), stored).jobStatusList ?? [];
    expect(again.toReversed()).toEqual(recorded);
  });

  it('names the Job of a step that has one, also where no entry does', () => {
    const running = each(long, () => ({ state: 'Running', attempt: 1 }));
    const jobNames = reread(long, running).records.map(({ jobName }) => jobName);
    expect([jobNames[0], jobNames[399]]).toEqual(['etl-s1000-r1', 'etl-s1399-r1']);
  });

  it.each([
    ['a state of another version', { Napping: '0-3' }],
    ['no ranges', { Succeed: 'all' }],
    ['ranges beyond the flow', { Succeed: '5000-9999' }],
    ['a range without an end', { Succeed: '3-' }],
  ])('takes nothing from %s, and relies on the Jobs', (_, states) => {
    const status = { jobStatusList: [], stepStates: states };
    const { jobStatusList } = withAllRecords(flowName, long, status);
    expect(jobStatusList).toEqual(each(long, () => ({})));
  });

  it('records no step before anything has happened', () => {
    expect(asStored(long, {})).toEqual({});
    expect(withAllRecords(flowName, long, {})).toEqual({});
  });
});
