import { describe, expect, it } from 'vitest';
import type { Rejection } from '#shared/domain/rejection.ts';
import { at, flow, job, record, snapshot, started, step, t0 } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';
import { withRejections } from '../snapshot.ts';
import { refusedSteps, refusesAll } from './refusals.ts';

const steps = [step('a'), step('b', { after: ['a'] }), step('c')];

function refused(name: string, code: Rejection['code'], message = 'as the server said'): Rejection {
  return { name, code, message };
}

describe('a name that belongs to a foreign Job (rule 3)', () => {
  const conflict = [refused('etl-a', 'NameConflict', 'Job default/etl-a has another owner')];

  it('blocks the step; its dependants do not start, whatever the foreign Job is doing', () => {
    const result = decided(withRejections(snapshot(flow(steps)), conflict));
    expect(result.step('a')).toMatchObject({ state: 'Blocked', reason: 'NameConflict' });
    expect(result.step('a').jobName).toBeUndefined();
    expect(result.step('b').state).toBe('Waiting');
    expect(result.condition('Blocked')).toBe('True/NameConflict');
    expect(result.events).toContain('NameConflict');
  });

  it('records nothing of the steps that may have been started beside it, and looks at once', () => {
    const result = decided(withRejections(snapshot(flow(steps)), conflict));
    expect(result.creates).toEqual([]);
    expect(result.step('c')).toEqual({ name: 'c', state: 'Waiting' });
    expect(result.decision.requeueAtMs).toBe(t0);
    const jobs = [job('c', 'pending')];
    const next = decided(snapshot(flow(steps, { status: result.status }), { jobs }));
    expect(next.creates).toEqual(['etl-a']);
    expect(next.step('c').jobName).toBe('etl-c');
  });

  it('is tried again every 10 s while it lasts, without a write to the status', () => {
    const status = decided(
      withRejections(
        snapshot(flow(steps, { status: started([]) }), { jobs: [job('c', 'running')] }),
        conflict,
      ),
    ).status;
    const later = snapshot(flow(steps, { status }), { jobs: [job('c', 'running')] });
    expect(decided(later, 100).creates).toEqual(['etl-a']);
    const again = decided(withRejections(later, conflict), 100);
    expect(again.decision).toMatchObject({ plan: [], requeueAtMs: t0 + 110_000 });
  });

  it('is over when the create goes through', () => {
    const blocked = started([
      record('a', 'Blocked', { reason: 'NameConflict', message: 'x' }),
      record('b', 'Waiting'),
      record('c', 'Succeed'),
    ]);
    const conditions = [
      {
        type: 'Blocked',
        status: 'True',
        reason: 'NameConflict',
        message: '',
        lastTransitionTime: at(0),
      },
    ] as const;
    const result = decided(snapshot(flow(steps, { status: { ...blocked, conditions } })));
    expect(result.step('a').state).toBe('Pending');
    expect(result.condition('Blocked')).toBe('False/NotBlocked');
    expect(result.status.reason).toBeUndefined();
  });
});

describe('a name that a foreign Job holds while it is being deleted (rule 3)', () => {
  const held = [refused('etl-a', 'NameTerminating', 'the name is held by Job etl-a')];
  const blocked = started([
    record('a', 'Blocked', { reason: 'NameTerminating', message: 'the name is held by Job etl-a' }),
    record('b', 'Waiting', { reason: 'DependenciesPending', message: 'waiting for a' }),
    record('c', 'Pending'),
  ]);

  it('blocks the step, is reported once, and is tried again after 5 s', () => {
    const running = snapshot(flow(steps, { status: started([]) }), { jobs: [job('c', 'pending')] });
    const result = decided(withRejections(running, held));
    expect(result.step('a')).toMatchObject({ state: 'Blocked', reason: 'NameTerminating' });
    expect(result.status).toMatchObject({
      state: 'Running',
      reason: 'NameTerminating',
      message: 'step a: the name is held by Job etl-a',
    });
    expect(result.events).toEqual(['NameTerminating']);
    expect(result.decision.requeueAtMs).toBe(t0 + 5_000);
  });

  it('goes on with the independent steps, and asks for the Job no more while the name is held', () => {
    const status = { ...blocked, jobStatusList: [...blocked.jobStatusList!.slice(0, 2)] };
    const result = decided(snapshot(flow(steps, { status }), { heldNames: held }));
    expect(result.creates).toEqual(['etl-c']);
    expect(result.step('c').state).toBe('Pending');
    expect(result.step('a')).toMatchObject({ state: 'Blocked', reason: 'NameTerminating' });
    expect(result.decision.requeueAtMs).toBe(t0 + 5_000);
  });

  it('looks again after 5 s however long the name has been held', () => {
    const since = { reason: 'NameTerminating', message: '', lastTransitionTime: at(0) };
    const conditions = [{ type: 'Blocked', status: 'True', ...since }] as const;
    const waiting = flow(steps, { status: { ...blocked, conditions } });
    const jobs = [job('c', 'pending')];
    const result = decided(snapshot(waiting, { jobs, heldNames: held }), 30);
    expect(result.decision.requeueAtMs).toBe(t0 + 35_000);
  });

  it.each(['NameTerminating', 'NameConflict'])(
    'each step asks for its own name: %s says nothing about the others',
    (reason) => {
      const why = { reason, message: 'x' };
      const records = [record('a', 'Blocked', why), record('c', 'Blocked', why)];
      const result = decided(snapshot(flow(steps, { status: started(records) })));
      expect(result.creates).toEqual(['etl-a', 'etl-c']);
    },
  );

  it('starts the step once the name is free', () => {
    const result = decided(
      snapshot(flow(steps, { status: blocked }), { jobs: [job('c', 'pending')] }),
    );
    expect(result.creates).toEqual(['etl-a']);
  });
});

describe('permission and quota (rule 23, scenario 39, volcano#2983)', () => {
  it.each(['Forbidden', 'QuotaExceeded', 'Refused'] as const)(
    '%s blocks with its reason',
    (code) => {
      const all = [refused('etl-a', code), refused('etl-c', code)];
      const result = decided(withRejections(snapshot(flow(steps)), all));
      expect(result.step('a')).toMatchObject({
        state: 'Blocked',
        reason: code,
        message: 'as the server said',
      });
      expect(result.condition('Blocked')).toBe(`True/${code}`);
      expect(result.status).toMatchObject({ state: 'Pending', reason: code });
      expect(result.decision.requeueAtMs).toBe(t0 + 5_000);
    },
  );

  const blocked = (since: number) =>
    flow(steps, {
      status: {
        state: 'Pending',
        observedGeneration: 1,
        jobStatusList: [
          record('a', 'Blocked', { reason: 'Forbidden', message: 'x' }),
          record('b', 'Waiting'),
          record('c', 'Blocked', { reason: 'Forbidden', message: 'x' }),
        ],
        conditions: [
          {
            type: 'Accepted',
            status: 'True',
            reason: 'Valid',
            message: '',
            lastTransitionTime: at(-100),
          },
          {
            type: 'Blocked',
            status: 'True',
            reason: 'Forbidden',
            message: '',
            lastTransitionTime: at(since),
          },
        ],
      },
    });

  it.each([
    [2, 5],
    [20, 20],
    [3600, 60],
  ])(
    'after %i s it is tried again in %i s: growing, capped, without a counter',
    (lasted, delay) => {
      const again = withRejections(snapshot(blocked(0)), [refused('etl-a', 'Forbidden')]);
      const { decision } = decided(again, lasted);
      expect(decision.requeueAtMs).toBe(t0 + (lasted + delay) * 1000);
    },
  );

  it('keeps the words of the first refusal, and takes those of another kind', () => {
    const after = (code: Rejection['code']) =>
      decided(withRejections(snapshot(blocked(0)), [refused('etl-a', code, 'y')]), 20).step('a');
    expect(after('Forbidden')).toMatchObject({ reason: 'Forbidden', message: 'x' });
    expect(after('QuotaExceeded')).toMatchObject({ reason: 'QuotaExceeded', message: 'y' });
  });

  it('is no matter of a step whose Job is there, nor of one that is over', () => {
    const status = started([record('a', 'Running')]);
    const seen = snapshot(flow(steps, { status }), { jobs: [job('a', 'running')] });
    const result = decided(withRejections(seen, [refused('etl-a', 'Forbidden')]));
    expect(result.step('a').state).toBe('Running');
    const failed = record('a', 'Failed', { reason: 'Forbidden' });
    expect(refusesAll(failed)).toBe(false);
    expect(refusedSteps([{ spec: step('a'), record: failed }])).toEqual([]);
  });

  it('one step asks for all; when it may, the others follow', () => {
    const asked = decided(snapshot(blocked(0)), 60);
    expect(asked.creates).toEqual(['etl-a']);
    expect(asked.step('c').state).toBe('Blocked');
    const granted = snapshot(flow(steps, { status: asked.status }), {
      jobs: [job('a', 'pending')],
    });
    const next = decided(granted, 61);
    expect(next.creates).toEqual(['etl-c']);
    expect(next.condition('Blocked')).toBe('False/NotBlocked');
  });

  it('asks for no other step when one that is refused for the first time has asked beside them', () => {
    const status = blocked(0).status!;
    const records = status.jobStatusList!.map((entry) =>
      entry.name === 'c' ? record('c', 'Waiting') : entry,
    );
    const beside = snapshot(flow(steps, { status: { ...status, jobStatusList: records } }));
    const again = withRejections(beside, [refused('etl-c', 'Forbidden')]);
    const result = decided(again, 20);
    expect(result.step('c').state).toBe('Blocked');
    expect(result.decision.requeueAtMs).toBe(t0 + 40_000);
  });

  it('asks for no other step when the one that asked was refused', () => {
    const again = withRejections(snapshot(blocked(0)), [refused('etl-a', 'Forbidden')]);
    expect(decided(again, 60).creates).toEqual([]);
  });
});

describe('an invalid Job', () => {
  const invalid = [refused('etl-a', 'Invalid', 'spec.template.spec.containers[0].image: Required')];

  it('is Failed/InvalidJob with the words of the API server, and is not tried again', () => {
    const result = decided(withRejections(snapshot(flow(steps)), invalid));
    expect(result.step('a')).toMatchObject({
      state: 'Failed',
      reason: 'InvalidJob',
      attempt: 0,
      message: 'spec.template.spec.containers[0].image: Required',
    });
    expect(result.step('b').state).toBe('Skipped');
    const next = decided(
      snapshot(flow(steps, { status: result.status }), { jobs: [job('c', 'running')] }),
    );
    expect(next.creates).toEqual([]);
  });

  it('is not retried by the policy, since the next attempt would be the same', () => {
    const retried = [step('a', { retryPolicy: { limit: 3 } })];
    const result = decided(withRejections(snapshot(flow(retried)), invalid));
    expect(result.step('a').state).toBe('Failed');
    expect(result.status.state).toBe('Failed');
  });

  it('keeps its message within bounds', () => {
    const long = [refused('etl-a', 'Invalid', 'x'.repeat(10_000))];
    expect(decided(withRejections(snapshot(flow(steps)), long)).step('a').message).toHaveLength(
      256,
    );
  });
});
