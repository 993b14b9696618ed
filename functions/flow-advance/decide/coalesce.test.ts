import { describe, expect, it } from 'vitest';
import { at, flow, job, snapshot, step, t0 } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const steps = [step('a'), step('b', { after: ['a'] })];
const started = decided(snapshot(flow(steps))).status;
const underway = flow(steps, { status: started });

describe('a step that goes from Pending to Running (I10)', () => {
  it('is not written before one second after the start of its Job', () => {
    const { decision } = decided(snapshot(underway, { jobs: [job('a', 'running')] }), 1);
    expect(decision.plan).toEqual([]);
    expect(decision.requeueAtMs).toBe(t0 + 2_000);
  });

  it('is written then, with uid and start time', () => {
    const result = decided(snapshot(underway, { jobs: [job('a', 'running')] }), 2);
    expect(result.writesStatus).toBe(true);
    expect(result.step('a')).toMatchObject({
      state: 'Running',
      jobUID: 'uid-of-etl-a',
      startTime: at(1),
    });
    expect(result.events).toEqual([]);
  });

  it.each([1, 3_600])('is written at once when our clock is %d s behind', (seconds) => {
    const result = decided(snapshot(underway, { jobs: [job('a', 'running')] }), 1 - seconds);
    expect(result.step('a').state).toBe('Running');
  });

  it('rides along with any other write', () => {
    const jobs = [job('a', 'complete'), job('b', 'running')];
    const both = flow([step('a'), step('b')], {
      status: decided(snapshot(flow([step('a'), step('b')]))).status,
    });
    const result = decided(snapshot(both, { jobs }), 1);
    expect(result.step('b').state).toBe('Running');
  });

  it('causes no write at all when the step is short: two for a flow of one step', () => {
    const one = [step('a')];
    const first = decided(snapshot(flow(one)));
    const jobs = [job('a', 'complete')];
    const last = decided(snapshot(flow(one, { status: first.status }), { jobs }), 1);
    expect([first.writesStatus, last.writesStatus]).toEqual([true, true]);
    const after = decided(snapshot(flow(one, { status: last.status }), { jobs }), 2);
    expect(after.decision.plan).toEqual([]);
  });
});

describe('a step whose Pods are terminating after its success (KEP-4368)', () => {
  const running = decided(snapshot(underway, { jobs: [job('a', 'running')] }), 9).status;
  const jobs = [{ ...job('a', 'criteriaMet'), conditions: [criteriaMetAt(10)] }];
  const lasting = flow(steps, { status: running });

  it('is not told of before one second after the condition: most are over by then', () => {
    const { decision } = decided(snapshot(lasting, { jobs }), 10);
    expect(decision.plan).toEqual([]);
    expect(decision.requeueAtMs).toBe(t0 + 11_000);
  });

  it('is told of when it lasts', () => {
    const result = decided(snapshot(lasting, { jobs }), 11);
    expect(result.writesStatus).toBe(true);
    expect(result.step('a').reason).toBe('SuccessCriteriaMet');
  });
});

function criteriaMetAt(seconds: number) {
  return { type: 'SuccessCriteriaMet', status: 'True', lastTransitionTime: at(seconds) };
}

describe('what is written at once', () => {
  it.each([
    ['a success', job('a', 'complete')],
    ['a failure', job('a', 'failed')],
    ['a suspension', job('a', 'suspended')],
  ])('%s', (_, child) => {
    expect(decided(snapshot(underway, { jobs: [child] }), 1).writesStatus).toBe(true);
  });

  it('a new generation', () => {
    const edited = flow(steps, { status: started, generation: 2 });
    const result = decided(snapshot(edited, { jobs: [job('a', 'pending')] }), 1);
    expect(result.status.observedGeneration).toBe(2);
  });
});

describe('a status with fields of another version', () => {
  const newer = flow(steps, { status: { ...started, future: 'kept' } as typeof started });

  it('keeps them: what this version does not know is not its to remove', () => {
    const result = decided(snapshot(newer, { jobs: [job('a', 'complete')] }), 1);
    expect(result.writesStatus).toBe(true);
    const patches = result.decision.plan.flat().filter(({ kind }) => kind === 'patchStatus');
    expect(patches).toHaveLength(1);
    expect(JSON.stringify(patches)).not.toContain('future');
  });

  it('is no reason to write', () => {
    const same = snapshot(newer, { jobs: [job('a', 'pending')] });
    expect(decided(same, 1).decision.plan).toEqual([]);
  });
});
