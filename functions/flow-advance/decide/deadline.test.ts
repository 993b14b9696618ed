import { describe, expect, it } from 'vitest';
import type { JobFlowStatus } from '#shared/api/job-flow.ts';
import type { Condition } from '#shared/domain/conditions.ts';
import { resources } from '#shared/domain/resources.ts';
import { takesForAbsent } from '../takes-for-absent.ts';
import type { FlowSnapshot } from '../snapshot.ts';
import { at, flow, job, record, snapshot, started, step, t0 } from '../testing/builders.ts';
import { decided, type Decided, withRetry } from '../testing/decided.ts';
import { entries, jobs, look, lookAfter, type SpecBeside, steps } from '../testing/four-steps.ts';

const limited = { activeDeadlineSeconds: 60 };
const gone = { jobs: [], confirmedMissing: ['etl-a'] };

/** One decision later. */
function after(
  previous: Decided,
  fields: Partial<FlowSnapshot>,
  spec: SpecBeside = limited,
  more = {},
) {
  return lookAfter(previous, spec, fields, more);
}

function turned(type: string, status: 'True' | 'False', seconds: number): Condition {
  return { type, status, reason: 'Test', message: '', lastTransitionTime: at(seconds) };
}

/** When to decide again, seconds after its start. */
function againOf({ decision }: Decided): number | undefined {
  return decision.requeueAtMs === undefined ? undefined : (decision.requeueAtMs - t0) / 1_000;
}

/** One running step, so that only the deadline requests another decision. */
function single(spec: SpecBeside, fields: Partial<JobFlowStatus> = {}, more = {}) {
  const status = started([record('a', 'Running')], fields);
  return snapshot(flow([step('a')], { spec, status, ...more }), { jobs: [job('a', 'running')] });
}

describe('spec.activeDeadlineSeconds (rule 26)', () => {
  it('asks for a look when the time is up, and does nothing before', () => {
    const result = decided(single(limited), 59);
    expect([result.deletes, result.status.state]).toEqual([[], 'Running']);
    expect(againOf(result)).toBe(60);
  });

  it('asks for that look in the very decision that starts the flow', () => {
    const result = decided(snapshot(flow([step('a')], { spec: limited })), 5);
    expect(result.creates).toEqual(['etl-a']);
    expect(againOf(result)).toBe(65);
  });

  it('deletes what runs, starts and retries nothing more, and says so', () => {
    const result = decided(look(limited), 60);
    expect(result.creates).toEqual([]);
    expect(result.deletes).toMatchObject([
      { target: { name: 'etl-a' }, propagation: 'Foreground' },
    ]);
    expect(result.step('a')).toMatchObject({
      state: 'Running',
      reason: 'FlowDeadlineExceeded',
      message:
        'deleted because the deadline of the flow passed (spec.activeDeadlineSeconds); waiting until it is gone',
    });
    expect(result.step('b')).toEqual({
      name: 'b',
      state: 'Skipped',
      reason: 'FlowDeadlineExceeded',
      message: 'the flow was not over after 60 s (spec.activeDeadlineSeconds)',
    });
    expect(result.step('c')).toMatchObject({
      state: 'Failed',
      attempt: 0,
      reason: 'FlowDeadlineExceeded',
    });
    expect(result.status).toMatchObject({
      state: 'Running',
      reason: 'FlowDeadlineExceeded',
      message:
        'the flow was not over after 60 s (spec.activeDeadlineSeconds): nothing new starts, and what runs is deleted; ' +
        'step a: deleted because the deadline of the flow passed (spec.activeDeadlineSeconds); waiting until it is gone',
    });
    expect(result.condition('Progressing')).toBe('True/FlowDeadlineExceeded');
    expect(result.events).toContain('FlowDeadlineExceeded');
    expect(againOf(result)).toBeUndefined();
  });

  it('ends as Failed with reason FlowDeadlineExceeded when what ran is gone', () => {
    const first = decided(look(limited), 60);
    const end = decided(after(first, gone), 70);
    expect(end.step('a')).toMatchObject({
      state: 'Failed',
      reason: 'FlowDeadlineExceeded',
      message:
        'Job etl-a was deleted because the deadline of the flow passed (spec.activeDeadlineSeconds)',
    });
    expect(end.status).toMatchObject({
      state: 'Failed',
      reason: 'FlowDeadlineExceeded',
      message:
        'its deadline passed (spec.activeDeadlineSeconds) before these steps had succeeded: a, b, c',
      completionTime: at(70),
    });
    expect(end.condition('Failed')).toBe('True/FlowDeadlineExceeded');
    expect(end.events).toContain('Failed');
    expect(end.events).not.toContain('FlowDeadlineExceeded');
    expect(takesForAbsent(after(first, gone), end.decision)).toBe(resources.Job);
  });

  it('is reported once, also when the flow is suspended and resumed while its Jobs are being deleted', () => {
    const stopping = { jobs: [job('a', 'running', { deletionTimestamp: at(60) })] };
    const first = decided(look(limited), 60);
    const held = decided(
      after(first, stopping, { ...limited, suspend: true }, { generation: 2 }),
      61,
    );
    const resumed = decided(after(held, stopping, limited, { generation: 3 }), 62);
    const late = decided(after(resumed, stopping, limited, { generation: 3 }), 122);
    const reasons = [first, held, resumed, late].flatMap(({ events }) => events);
    expect(reasons.filter((reason) => reason === 'FlowDeadlineExceeded')).toHaveLength(1);
    expect([resumed, late].map(({ status }) => status.reason)).toEqual([
      'FlowDeadlineExceeded',
      'FlowDeadlineExceeded',
    ]);
    expect(decided(after(late, gone, limited, { generation: 3 }), 125).status).toMatchObject({
      state: 'Failed',
      reason: 'FlowDeadlineExceeded',
    });
  });

  it('ends at once when nothing runs, with one Event', () => {
    const waits = [record('c', 'Waiting', { attempt: 1, nextRetryTime: at(600) })];
    const only = snapshot(flow([steps[2]!], { spec: limited, status: started(waits) }), {
      jobs: [job('c', 'failed')],
    });
    const result = decided(only, 61);
    expect(result.status).toMatchObject({ state: 'Failed', reason: 'FlowDeadlineExceeded' });
    expect(result.events).not.toContain('FlowDeadlineExceeded');
    expect(result.events).toContain('Failed');
    expect(takesForAbsent(only, result.decision)).toBe(resources.Job);
  });

  it('writes an attempt down before its Job is deleted (law 3)', () => {
    const unknown = started([record('a', 'Waiting'), ...entries.slice(1)]);
    const first = decided(look(limited, { jobs }, unknown), 60);
    expect(first.deletes).toEqual([]);
    expect(first.step('a').jobName).toBe('etl-a');
    expect(againOf(first)).toBe(60);
    expect(decided(after(first, { jobs }), 61).deletes).toHaveLength(1);
  });

  it('records the result of a Job that ended before it could be deleted', () => {
    const first = decided(look(limited), 60);
    const end = decided(after(first, { jobs: [job('a', 'complete')] }), 61);
    expect(end.step('a').state).toBe('Succeed');
    expect(end.status.message).toMatch(/had succeeded: b, c$/);
  });

  it('is no cause of an end that comes without it', () => {
    const seen = (state: 'complete' | 'failed') =>
      decided({ ...single(limited), jobs: [job('a', state)] }, 61).status;
    expect(seen('complete').state).toBe('Succeed');
    expect(seen('failed')).toMatchObject({ state: 'Failed', reason: 'StepFailed' });
  });

  it('deletes gates too, which would wait for ever', () => {
    const held = { jobs: [job('a', 'suspended'), job('d', 'complete')] };
    const status = started([record('a', 'Suspended'), ...entries.slice(1)]);
    expect(decided(look(limited, held, status), 60).deletes).toHaveLength(1);
  });

  it('deletes what spec.shutdown Stop left running, and the flow ends as shut down', () => {
    const spec = { ...limited, shutdown: 'Stop' } as const;
    const stopped = decided(look(spec), 30);
    expect(againOf(stopped)).toBe(60);
    const late = decided(after(stopped, { jobs }, spec), 60);
    expect(late.deletes).toHaveLength(1);
    const end = decided(after(late, gone, spec), 65);
    expect(end.step('a').reason).toBe('FlowDeadlineExceeded');
    expect(end.status.reason).toBe('Shutdown');
  });

  it('comes before the failure policy CancelRunning and after spec.shutdown Terminate', () => {
    const status = started([record('a', 'Running'), ...entries.slice(1, 3), record('d', 'Failed')]);
    const removalBy = (spec: SpecBeside) =>
      decided(look({ ...limited, ...spec }, { jobs }, status), 60).step('a').reason;
    expect(removalBy({ failurePolicy: 'CancelRunning' })).toBe('FlowDeadlineExceeded');
    expect(removalBy({ shutdown: 'Terminate' })).toBe('Shutdown');
  });

  it('takes nothing back when it is lengthened or removed while what ran is being deleted', () => {
    const first = decided(look(limited), 60);
    for (const spec of [{}, { activeDeadlineSeconds: 600 }]) {
      const end = decided(after(first, gone, spec), 65);
      expect(end.creates).toEqual([]);
      expect(end.status).toMatchObject({ state: 'Failed', reason: 'FlowDeadlineExceeded' });
    }
  });

  it('takes nothing back when it is changed after the end (rule 10)', () => {
    const first = decided(look(limited), 60);
    const end = decided(after(first, gone), 65);
    const changed = decided(
      after(end, gone, { activeDeadlineSeconds: 600 }, { generation: 2 }),
      70,
    );
    expect([changed.creates, changed.status.state]).toEqual([[], 'Failed']);
    expect(againOf(changed)).toBeUndefined();
    const succeeded = { state: 'Succeed', completionTime: at(9) } as const;
    expect(decided(single(limited, succeeded), 90).status.state).toBe('Succeed');
  });

  it('may be set, shortened and lengthened while the flow runs', () => {
    expect(decided(single({ activeDeadlineSeconds: 10 }), 30).deletes).toHaveLength(1);
    expect(againOf(decided(single({ activeDeadlineSeconds: 90 }), 30))).toBe(90);
    expect(againOf(decided(single({}), 30))).toBeUndefined();
  });
});

describe('the clock of spec.activeDeadlineSeconds (rule 26)', () => {
  it('does not run before the start', () => {
    const missing = [step('a', { jobTemplateRef: 'later' })];
    const result = decided(
      snapshot(flow(missing, { spec: limited }), { templates: { later: null } }),
      600,
    );
    expect(result.status.state).toBe('Pending');
    expect(againOf(result)).toBeUndefined();
  });

  it('does not run while the flow is suspended, and begins anew when it is resumed', () => {
    const conditions = [turned('Suspended', 'True', 50)];
    const held = { state: 'Suspended', conditions } as const;
    const suspended = decided(single({ ...limited, suspend: true }, held), 600);
    expect([suspended.deletes, againOf(suspended)]).toEqual([[], undefined]);
    const resumed = decided(single(limited, held), 600);
    expect([resumed.deletes, againOf(resumed)]).toEqual([[], 660]);
    const later = { conditions: [turned('Suspended', 'False', 600)] };
    expect(decided(single(limited, later), 659).deletes).toEqual([]);
    expect(decided(single(limited, later), 660).deletes).toHaveLength(1);
  });

  it('begins anew with the retry that takes the failure back (rule 13)', () => {
    const first = decided(look(limited), 60);
    const end = decided(after(first, gone), 65);
    const asked = after(end, { jobs: [] }, limited, { retry: '1' });
    const retried = decided(withRetry(asked, 600), 600);
    expect(retried.creates).toEqual(['etl-a-r1', 'etl-c-r1']);
    expect(retried.status.state).toBe('Running');
    expect(againOf(retried)).toBe(660);
    const again = { jobs: [job('a', 'running', { attempt: 1 })] };
    const kept = decided(after(retried, again, limited, { retry: '1' }), 659);
    expect(kept.deletes).toEqual([]);
    const late = decided(after(retried, again, limited, { retry: '1' }), 660);
    expect(late.deletes).toMatchObject([{ target: { name: 'etl-a-r1' } }]);
    expect(late.events).toContain('FlowDeadlineExceeded');
  });
});
