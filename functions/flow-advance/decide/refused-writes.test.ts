import { describe, expect, it } from 'vitest';
import type { JobFlowStatus } from '#shared/api/job-flow.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { withRejections } from '../snapshot.ts';
import { flow, flowUid, job, record, snapshot, started, step, t0 } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const steps = [step('a'), step('b')];
const both = started([record('a', 'Running'), record('b', 'Running')]);

function refusing(
  { name, uid }: ObservedJob,
  code: Rejection['code'] = 'Refused',
  message = 'a webhook denied the request',
): Rejection {
  return { name, uid, code, message };
}

describe('a change of a Job that the API server refuses (rule 23)', () => {
  const jobs = [job('a', 'running'), job('b', 'running')];
  const suspended = (status: JobFlowStatus = both) =>
    snapshot(flow(steps, { spec: { suspend: true }, status }), { jobs });

  it('blocks the flow with the reason, while the others are changed', () => {
    expect(decided(suspended()).patches).toHaveLength(2);
    const result = decided(withRejections(suspended(), [refusing(jobs[0]!)]));
    expect(result.patches).toMatchObject([{ target: { name: 'etl-b' } }]);
    expect(result.status).toMatchObject({
      reason: 'Refused',
      message: 'Job etl-a cannot be changed: a webhook denied the request',
    });
    expect(result.condition('Blocked')).toBe('True/Refused');
    expect(result.events).toContain('Refused');
    expect(result.decision.requeueAtMs).toBe(t0 + 5_000);
  });

  it('is tried again, and while it is refused nothing is written', () => {
    const all = jobs.map((each) => refusing(each));
    const { status } = decided(withRejections(suspended(), all));
    expect(status.message).toContain('; also etl-b');
    expect(decided(suspended(status), 100).patches).toHaveLength(2);
    const again = decided(withRejections(suspended(status), all), 100);
    expect(again.decision).toMatchObject({ plan: [], requeueAtMs: t0 + 160_000 });
  });

  it('blocks the flow no more once it goes through', () => {
    const { status } = decided(withRejections(suspended(), [refusing(jobs[0]!)]));
    const result = decided(suspended(status), 100);
    expect(result.condition('Blocked')).toBe('False/NotBlocked');
    expect(result.status.reason).toBe('FlowSuspended');
  });

  it('whose reason the API server calls invalid is no invalid template', () => {
    const result = decided(withRejections(suspended(), [refusing(jobs[0]!, 'Invalid')]));
    expect(result.condition('Blocked')).toBe('True/Refused');
    expect(result.step('a').state).toBe('Running');
  });

  it('keeps no other step from its start', () => {
    const three = [...steps, step('c', { after: ['b'] })];
    const seen = [job('a', 'running'), job('b', 'complete')];
    const marked = { annotations: { [annotations.suspendedBy]: flowUid } };
    const held = [job('a', 'suspended', marked), seen[1]!];
    const from = snapshot(flow(three, { status: both }), { jobs: held });
    expect(decided(from)).toMatchObject({ creates: ['etl-c'], patches: [{}] });
    const result = decided(withRejections(from, [refusing(held[0]!)]));
    expect(result).toMatchObject({ creates: ['etl-c'], patches: [] });
  });

  it('does not keep from the record that a step has failed', () => {
    const seen = [job('a', 'running'), job('b', 'failed')];
    const policy = { failurePolicy: 'CancelRunning' } as const;
    const from = snapshot(flow(steps, { spec: policy, status: both }), { jobs: seen });
    expect(decided(from).deletes).toMatchObject([{ target: { name: 'etl-a' } }]);
    const result = decided(withRejections(from, [refusing(seen[0]!, 'Forbidden')]));
    expect(result.deletes).toEqual([]);
    expect(result.step('b').state).toBe('Failed');
    expect(result.status).toMatchObject({
      reason: 'Forbidden',
      message: 'Job etl-a cannot be deleted: a webhook denied the request',
    });
  });

  it('after the end is reported by the condition alone', () => {
    const ended = started([record('a', 'Succeed')], { state: 'Succeed' });
    const done = job('a', 'complete', {
      annotations: { 'millrace.dev/ttl-seconds-after-finished': '9' },
    });
    const from = snapshot(flow([step('a')], { status: ended }), { jobs: [done] });
    expect(decided(from).patches).toHaveLength(1);
    const result = decided(withRejections(from, [refusing(done)]));
    expect(result.patches).toEqual([]);
    expect(result.condition('Blocked')).toBe('True/Refused');
    expect(result.status.state).toBe('Succeed');
  });
});
