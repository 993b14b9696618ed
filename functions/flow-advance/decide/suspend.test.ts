import { describe, expect, it } from 'vitest';
import type { JobFlowSpec } from '#shared/api/job-flow.ts';
import { annotations } from '#shared/domain/labels.ts';
import { asResourceVersion } from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
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
} from '../testing/builders.ts';
import { decided, inside } from '../testing/decided.ts';

const steps = [step('a'), step('b', { after: ['a'] })];
const ours = { annotations: { [annotations.suspendedBy]: flowUid } };
const suspend = { suspend: true };

function running(spec: Partial<JobFlowSpec>, a: 'Running' | 'Suspended' = 'Running') {
  const status = started([record('a', a), record('b', 'Waiting')]);
  return flow(steps, {
    spec,
    status: a === 'Suspended' ? { ...status, state: 'Suspended' } : status,
  });
}

describe('suspend (rule 15)', () => {
  it('stops running children and marks them as stopped by this flow', () => {
    const result = decided(snapshot(running(suspend), { jobs: [job('a', 'running')] }));
    expect(result.patches).toMatchObject([
      {
        target: { name: 'etl-a' },
        uid: 'uid-of-etl-a',
        // The view may be older than the end of the flow. A Job that is suspended after it would never be resumed.
        isFinal: true,
        patch: {
          metadata: { annotations: { [annotations.suspendedBy]: flowUid } },
          spec: { suspend: true },
        },
      },
    ]);
    expect(result.status.state).toBe('Suspended');
    expect(result.condition('Suspended')).toBe('False/Suspending');
  });

  it('names the policy that holds the flow and the time of the opening', () => {
    const policy = 'SuspendPolicy/default/nights';
    const held = { policy, reason: 'WindowClosed', since: at(0), until: at(60) };
    const owner = running(suspend);
    const own = { [annotations.held]: JSON.stringify(held) };
    const marked = { ...owner, metadata: { ...owner.metadata, annotations: own } };
    const result = decided(snapshot(marked, { jobs: [job('a', 'suspended', ours)] }));
    expect(result.condition('Suspended')).toBe('True/HeldByPolicy');
    const message = `held by ${policy} (WindowClosed) until ${at(60)}`;
    expect(result.status).toMatchObject({ state: 'Suspended', reason: 'HeldByPolicy', message });
  });

  it('names the queue before Kueue has reported anything', () => {
    const owner = running(suspend);
    const labels = { [queueLabel]: 'main' };
    const queued = { ...owner, metadata: { ...owner.metadata, labels } };
    const { status } = decided(snapshot(queued, { jobs: [job('a', 'suspended', ours)] }));
    expect(status).toMatchObject({ reason: 'Queued', message: 'waits in the queue main' });
  });

  it('is settled when the Jobs say that they have stopped', () => {
    const jobs = [job('a', 'suspended', ours)];
    const result = decided(snapshot(running(suspend), { jobs }));
    expect(result.patches).toEqual([]);
    expect(result.step('a')).toMatchObject({ state: 'Suspended', reason: 'FlowSuspended' });
    expect(result.condition('Suspended')).toBe('True/FlowSuspended');
    expect(result.events).toContain('Suspended');
  });

  it('creates no child, not even for a step whose turn has come', () => {
    const result = decided(snapshot(running(suspend), { jobs: [job('a', 'complete')] }));
    expect(result.creates).toEqual([]);
    expect(result.step('b')).toMatchObject({ state: 'Waiting', reason: 'FlowSuspended' });
    expect(result.status.state).toBe('Suspended');
  });

  it('holds a flow that was created suspended, and starts it on resume', () => {
    const held = decided(snapshot(flow(steps, { spec: suspend })));
    expect(held.creates).toEqual([]);
    expect(held.status.state).toBe('Suspended');
    expect(held.status.startTime).toBeUndefined();
    const resumed = decided(snapshot(flow(steps, { status: held.status, generation: 2 })));
    expect(resumed.creates).toEqual(['etl-a']);
    expect(resumed.events).toEqual(['Started', 'Resumed']);
  });

  it('stops nothing with SchedulingOnly, starts nothing either', () => {
    const spec = { suspend: true, suspendMode: 'SchedulingOnly' } as const;
    const result = decided(snapshot(running(spec), { jobs: [job('a', 'running')] }));
    expect(result.patches).toEqual([]);
    expect(result.status.state).toBe('Suspended');
    expect(result.condition('Suspended')).toBe('True/FlowSuspended');
  });

  it('leaves stopped what it has stopped when the mode becomes SchedulingOnly', () => {
    const spec = { suspend: true, suspendMode: 'SchedulingOnly' } as const;
    const jobs = [job('a', 'suspended', ours)];
    const result = decided(snapshot(running(spec, 'Suspended'), { jobs }));
    expect(result.patches).toEqual([]);
    expect(result.step('a').state).toBe('Suspended');
    expect(result.status.state).toBe('Suspended');
  });

  it('lets a flow end whose last step finishes meanwhile', () => {
    const status = started([record('a', 'Succeed'), record('b', 'Running')]);
    const spec = { suspend: true, suspendMode: 'SchedulingOnly' } as const;
    const result = decided(
      snapshot(flow(steps, { spec, status }), { jobs: [job('b', 'complete')] }),
    );
    expect(result.status.state).toBe('Succeed');
  });

  it('leaves alone what is finished or being deleted', () => {
    const jobs = [
      job('a', 'complete'),
      job('b', 'running', { deletionTimestamp: '2026-01-05T10:00:01Z' }),
    ];
    expect(decided(snapshot(running(suspend), { jobs })).patches).toEqual([]);
  });

  it('works while edited steps make the flow stand still', () => {
    const status = started([record('a', 'Running')], { flowsHash: 'old' });
    const edited = flow(steps, { spec: suspend, status, generation: 2 });
    const jobs = [job('a', 'running')];
    expect(decided(snapshot(edited, { jobs, flowsHash: 'new' })).patches).toHaveLength(1);
  });
});

describe('resume (rule 15)', () => {
  it('resumes children that carry our mark, and takes the mark away', () => {
    const jobs = [job('a', 'suspended', ours)];
    const result = decided(snapshot(running({}, 'Suspended'), { jobs }));
    expect(result.patches.map(({ patch }) => patch)).toEqual([
      { metadata: { annotations: { [annotations.suspendedBy]: null } }, spec: { suspend: false } },
    ]);
    expect(result.status.state).toBe('Running');
    expect(result.events).toContain('Resumed');
  });

  it('resumes a child only at the version that was seen: a user may have suspended it anew', () => {
    const resourceVersion = asResourceVersion('41');
    const jobs = [job('a', 'suspended', { ...ours, resourceVersion })];
    const result = decided(snapshot(running({}, 'Suspended'), { jobs }));
    expect(result.patches).toMatchObject([{ target: { name: 'etl-a' }, resourceVersion }]);
  });

  it('resumes a child only if the flow is still as it was seen: its quota may be that of another', () => {
    const jobs = [job('a', 'suspended', ours)];
    const { patches } = decided(snapshot(running({}, 'Suspended'), { jobs }));
    expect(patches).toMatchObject([{ isFinal: true }]);
  });

  it.each([
    ['a person', {}],
    ['another owner', { [annotations.suspendedBy]: 'policy-uid' }],
  ])('does not resume what %s has suspended', (_, marks) => {
    const jobs = [job('a', 'suspended', { annotations: marks })];
    expect(decided(snapshot(running({}, 'Suspended'), { jobs })).patches).toEqual([]);
  });

  it('does not check dependencies again', () => {
    const status = started([record('a', 'Succeed'), record('b', 'Suspended')]);
    const jobs = [job('b', 'suspended', ours)];
    const result = decided(snapshot(flow(steps, { status }), { jobs }));
    expect(result.patches).toHaveLength(1);
    expect(result.creates).toEqual([]);
  });
});

describe('a template with suspend: true is a manual gate (rule 15)', () => {
  const gated = [
    step('a', { jobTemplate: { ...busybox, suspend: true } }),
    step('b', { after: ['a'] }),
  ];

  it('is created suspended, without our mark', () => {
    const result = decided(snapshot(flow(gated)));
    const created = result.created('etl-a');
    expect(inside(created, 'spec', 'suspend')).toBe(true);
    expect(created.metadata.annotations).toBeUndefined();
  });

  it('stays closed through suspend and resume of the flow', () => {
    const status = started([record('a', 'Suspended'), record('b', 'Waiting')]);
    for (const spec of [suspend, {}]) {
      const result = decided(
        snapshot(flow(gated, { spec, status }), { jobs: [job('a', 'suspended')] }),
      );
      expect(result.patches).toEqual([]);
      expect(result.step('a').reason).toBe('ManualGate');
    }
  });

  it('lets the step go on when a person opens it', () => {
    const status = started([record('a', 'Suspended'), record('b', 'Waiting')]);
    const result = decided(snapshot(flow(gated, { status }), { jobs: [job('a', 'running')] }));
    expect(result.step('a').state).toBe('Running');
    expect(result.patches).toEqual([]);
  });
});
