import { describe, expect, it } from 'vitest';
import { annotations, labels } from '#shared/domain/labels.ts';
import {
  at,
  busybox,
  flow,
  flowUid,
  job,
  record,
  snapshot,
  started,
  step,
  t0,
} from '../testing/builders.ts';
import { decided, inside, withRetry } from '../testing/decided.ts';
import { resources } from '#shared/domain/resources.ts';

describe("a child's own TTL (rule 14)", () => {
  const steps = [
    step('a', { jobTemplate: { ...busybox, ttlSecondsAfterFinished: 0 } }),
    step('b', { after: ['a'] }),
  ];
  const withheld = { annotations: { [annotations.ttlSecondsAfterFinished]: '0' } };

  it('is withheld at creation: the Job must not vanish before its result is recorded', () => {
    const created = decided(snapshot(flow(steps))).created('etl-a');
    expect(inside(created, 'spec', 'ttlSecondsAfterFinished')).toBeUndefined();
    expect(created.metadata.annotations).toEqual({ [annotations.ttlSecondsAfterFinished]: '0' });
  });

  it('is not given in the plan that records the result; it is looked after even without an event', () => {
    const status = started([record('a', 'Running'), record('b', 'Waiting')]);
    const jobs = [job('a', 'complete', withheld)];
    const result = decided(snapshot(flow(steps, { status }), { jobs }));
    expect(result.step('a').state).toBe('Succeed');
    expect(result.patches).toEqual([]);
    expect(result.decision.requeueAtMs).toBe(t0);
  });

  it('is given once the result stands in the status that was read', () => {
    const status = started([record('a', 'Succeed'), record('b', 'Running')]);
    const jobs = [job('a', 'complete', withheld), job('b', 'pending')];
    const result = decided(snapshot(flow(steps, { status }), { jobs }));
    expect(result.patches).toMatchObject([
      { target: { name: 'etl-a' }, patch: { spec: { ttlSecondsAfterFinished: 0 } } },
    ]);
  });

  it('is given with all its digits', () => {
    const status = started([record('a', 'Succeed'), record('b', 'Running')]);
    const noted = { annotations: { [annotations.ttlSecondsAfterFinished]: '3600' } };
    const jobs = [job('a', 'complete', noted), job('b', 'pending')];
    const result = decided(snapshot(flow(steps, { status }), { jobs }));
    expect(result.patches).toMatchObject([{ patch: { spec: { ttlSecondsAfterFinished: 3600 } } }]);
  });

  it('is given after the end of the flow too, and once', () => {
    const status = started([record('a', 'Succeed'), record('b', 'Succeed')], { state: 'Succeed' });
    const over = flow(steps, { status });
    const waiting = [job('a', 'complete', withheld)];
    expect(decided(snapshot(over, { jobs: waiting })).patches).toHaveLength(1);
    const given = [job('a', 'complete', { ...withheld, ttlSecondsAfterFinished: 0 })];
    expect(decided(snapshot(over, { jobs: given })).decision.plan).toEqual([]);
  });

  it('is not given to a Job whose labels no longer name its step', () => {
    const status = started([record('a', 'Succeed'), record('b', 'Running')]);
    const jobs = [job('a', 'complete', { ...withheld, labels: {} }), job('b', 'pending')];
    expect(decided(snapshot(flow(steps, { status }), { jobs })).patches).toEqual([]);
  });

  it('is not given to a Job that is being deleted', () => {
    const status = started([record('a', 'Succeed'), record('b', 'Running')]);
    const leaving = job('a', 'complete', { ...withheld, deletionTimestamp: at(9) });
    const jobs = [leaving, job('b', 'pending')];
    expect(decided(snapshot(flow(steps, { status }), { jobs })).patches).toEqual([]);
  });

  it.each(['-1', '1.5', 'soon', ''])('is not given where its note was changed to %j', (note) => {
    const status = started([record('a', 'Succeed'), record('b', 'Running')]);
    const noted = { annotations: { [annotations.ttlSecondsAfterFinished]: note } };
    const jobs = [job('a', 'complete', noted), job('b', 'pending')];
    expect(decided(snapshot(flow(steps, { status }), { jobs })).patches).toEqual([]);
  });

  it('is not given to a Job whose labels name another step or attempt', () => {
    const status = started([record('a', 'Succeed'), record('b', 'Running')]);
    const patched = (own: Readonly<Record<string, string>>) => {
      const child = job('a', 'complete', withheld);
      const relabelled = { ...child, labels: { ...child.labels, ...own } };
      const jobs = [relabelled, job('b', 'pending')];
      return decided(snapshot(flow(steps, { status }), { jobs })).patches.length;
    };
    expect(patched({})).toBe(1);
    expect(patched({ [labels.step]: 'x' })).toBe(0);
    expect(patched({ [labels.attempt]: '1' })).toBe(0);
  });

  it('is given to the Job of a failed step while the flow continues', () => {
    const status = started([record('a', 'Failed'), record('c', 'Running')]);
    const jobs = [job('a', 'failed', withheld), job('c', 'running')];
    const result = decided(snapshot(flow([steps[0]!, step('c')], { status }), { jobs }));
    expect(result.patches.map(({ target }) => target.name)).toEqual(['etl-a']);
  });

  it('is given to a failed attempt when the next one is on record', () => {
    const status = started([record('a', 'Running', { attempt: 1 }), record('b', 'Waiting')]);
    const jobs = [job('a', 'failed', withheld), job('a', 'running', { attempt: 1 })];
    const result = decided(snapshot(flow(steps, { status }), { jobs }));
    expect(result.patches.map(({ target }) => target.name)).toEqual(['etl-a']);
  });

  it('is given to an attempt more than anybody asked for, once the step or the flow is over', () => {
    const stray = job('a', 'complete', { ...withheld, attempt: 1 });
    const patched = (state: 'Succeed' | 'Failed' | 'Running', flowState: 'Running' | 'Failed') => {
      const ended = flowState === 'Failed' ? { completionTime: at(9) } : {};
      const records = [record('a', state), record('b', 'Waiting')];
      const status = started(records, { state: flowState, ...ended });
      const jobs = state === 'Running' ? [job('a', 'running'), stray] : [stray];
      return decided(snapshot(flow(steps, { status }), { jobs })).patches.length;
    };
    expect(patched('Succeed', 'Running')).toBe(1);
    expect(patched('Failed', 'Failed')).toBe(1);
    expect(patched('Running', 'Running')).toBe(0);
    expect(patched('Failed', 'Running')).toBe(0);
  });

  it('removes no result: a child that is gone afterwards changes nothing', () => {
    const status = started([record('a', 'Succeed'), record('b', 'Succeed')], { state: 'Succeed' });
    expect(decided(snapshot(flow(steps, { status }))).decision.plan).toEqual([]);
  });
});

describe('the TTL of the flow (rule 14)', () => {
  const spec = { ttlSecondsAfterFinished: 60 };
  const steps = [step('a')];
  const succeeded = started([record('a', 'Succeed')], {
    state: 'Succeed',
    completionTime: at(10),
  });
  const failed = started([record('a', 'Failed')], { state: 'Failed', completionTime: at(10) });

  it('is asked for together with the end, so that no lost event can forget it', () => {
    const status = started([record('a', 'Running')]);
    const result = decided(
      snapshot(flow(steps, { spec, status }), { jobs: [job('a', 'complete')] }),
      9,
    );
    expect(result.decision.requeueAtMs).toBe(t0 + 69_000);
  });

  it('does nothing before its time, and says when that is', () => {
    const result = decided(snapshot(flow(steps, { spec, status: succeeded })), 69);
    expect(result.decision.plan).toEqual([]);
    expect(result.decision.requeueAtMs).toBe(t0 + 70_000);
  });

  it('deletes exactly the version that was decided on, children by garbage collection', () => {
    const result = decided(snapshot(flow(steps, { spec, status: succeeded })), 70);
    expect(result.decision.plan).toEqual([
      [
        {
          kind: 'delete',
          resource: resources.JobFlow,
          target: { namespace: 'default', name: 'etl' },
          uid: flowUid,
          resourceVersion: '100',
          propagation: 'Background',
        },
      ],
    ]);
  });

  it('is looked at again ten seconds after the deletion, which may have met another version', () => {
    const result = decided(snapshot(flow(steps, { spec, status: succeeded })), 70);
    expect(result.decision.requeueAtMs).toBe(t0 + 80_000);
  });

  it('holds for a flow that could not be started in time', () => {
    const late = { ...spec, startDeadlineSeconds: 5, suspend: false };
    const missing = [step('a', { jobTemplateRef: 'none' })];
    const seen = snapshot(flow(missing, { spec: late }), { templates: { none: null } });
    const result = decided(seen, 5);
    expect(result.status.state).toBe('Failed');
    expect(result.decision.requeueAtMs).toBe(t0 + 65_000);
  });

  it('is cancelled by a retry just before it fires (argo-workflows#12636)', () => {
    const asked = snapshot(flow(steps, { spec, status: failed, retry: 'x' }));
    expect(decided(asked, 3600).deletes).toEqual([]);
    const result = decided(withRetry(asked, 3600), 3600);
    expect(result.creates).toEqual(['etl-a-r1']);
    expect(result.decision.requeueAtMs).toBeUndefined();
  });

  it('waits until a retry that is refused is answered', () => {
    const asked = snapshot(flow(steps, { spec, status: failed, retry: 'no-such-step@1' }));
    const first = decided(asked, 3600);
    expect(first.deletes).toEqual([]);
    expect(first.events).toEqual(['RetryRefused']);
    const answered = { ...asked, flow: { ...asked.flow, status: first.status } };
    expect(decided(answered, 3600).deletes).toHaveLength(1);
  });

  it('never deletes a flow that is not over', () => {
    const status = started([record('a', 'Running')]);
    const result = decided(
      snapshot(flow(steps, { spec, status }), { jobs: [job('a', 'running')] }),
      9999,
    );
    expect(result.deletes).toEqual([]);
  });

  it('can be set or taken away after the end', () => {
    const none = decided(snapshot(flow(steps, { status: succeeded, generation: 2 })), 9999);
    expect(none.deletes).toEqual([]);
    const set = flow(steps, { spec, status: succeeded, generation: 2 });
    expect(decided(snapshot(set), 9999).deletes).toHaveLength(1);
  });
});
