import { describe, expect, it } from 'vitest';
import { withWarnings } from '../snapshot.ts';
import { flow, job, record, snapshot, started, step } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

const path = 'spec.template.spec.containers[10].resources.request';
const warnings = [{ name: 'etl-a', message: `unknown field "${path}"` }];
const steps = [step('a'), step('b'), step('c', { after: ['a'] })];
const jobs = [job('a', 'pending'), job('b', 'pending')];
/** The decision after the plan that created the Jobs was applied and its status written. */
const first = decided(snapshot(flow(steps))).status;
const warned = decided(withWarnings(snapshot(flow(steps, { status: first }), { jobs }), warnings));

const message =
  `unknown field "${path}": the cluster left it out of the Job; ` +
  'kubectl explain job.spec.template.spec.containers.resources';

describe('a field that the cluster does not know', () => {
  it('is reported in its step, and by one Event', () => {
    expect(warned.step('a')).toMatchObject({ state: 'Pending', reason: 'UnknownField', message });
    expect(warned.step('b')).not.toHaveProperty('reason');
    expect(warned.events).toEqual(['UnknownField']);
    expect(warned.decision.plan.at(-2)?.[0]).toMatchObject({
      type: 'Warning',
      note: `step a: ${message}`,
      occurrence: 'a',
    });
  });

  it('stays in the step while it runs, without another Event, and does not hold up the flow', () => {
    const running = [job('a', 'running'), job('b', 'running')];
    const next = decided(snapshot(flow(steps, { status: warned.status }), { jobs: running }), 9);
    expect(next.step('a')).toMatchObject({ state: 'Running', reason: 'UnknownField', message });
    expect(next.status).not.toHaveProperty('reason');
    expect(next.events).toEqual([]);
  });

  it('gives way to what keeps the step from running', () => {
    const status = started([record('a', 'Running', { reason: 'UnknownField', message })]);
    const trouble = { pod: 'p', reason: 'InvalidImageName', message: 'no name' };
    const held = { ...job('a', 'running'), pods: { active: 1, failed: 0, trouble } };
    const next = decided(snapshot(flow([step('a')], { status }), { jobs: [held] }), 9);
    expect(next.step('a').reason).toBe('InvalidImageName');
  });

  it('is reported also when the step is over by then', () => {
    const ended = [job('a', 'complete'), job('b', 'pending')];
    const result = decided(withWarnings(snapshot(flow(steps), { jobs: ended }), warnings));
    expect(result.step('a').state).toBe('Succeed');
    expect(result.events).toContain('UnknownField');
  });

  it('is reported also when its step is suspended by its template, which the status says already', () => {
    const gate = [job('a', 'suspended'), job('b', 'pending')];
    const known = decided(
      withWarnings(snapshot(flow(steps, { status: first }), { jobs: gate }), warnings),
    ).status;
    const seen = snapshot(flow(steps, { status: known }), { jobs: gate });
    const result = decided(withWarnings(seen, warnings));
    expect(result.writesStatus).toBe(false);
    expect(result.events).toEqual(['UnknownField']);
  });

  it('is reported in the words of the API server also when these quote no field', () => {
    const vague = [{ name: 'etl-a', message: 'unknown field' }];
    const result = decided(withWarnings(snapshot(flow(steps, { status: first }), { jobs }), vague));
    expect(result.step('a').message).toBe(
      'unknown field: the cluster left it out of the Job; kubectl explain job',
    );
  });

  it('is one Event for many steps that have it', () => {
    const all = ['a', 'b'].map((name) => ({ name: `etl-${name}`, message: 'unknown field "x"' }));
    const result = decided(withWarnings(snapshot(flow(steps), { jobs }), all));
    const notes = result.decision.plan
      .flat()
      .flatMap((operation) => (operation.kind === 'emitEvent' ? [operation.note] : []));
    expect(notes.filter((note) => note.includes('unknown field'))).toEqual([
      expect.stringMatching(/^step a: unknown field "x".*; also b$/),
    ]);
  });

  it('stays in the condition Accepted, which is True, when the step and the flow are over', () => {
    expect(warned.condition('Accepted')).toBe('True/UnknownField');
    const found = warned.status.conditions?.find(({ type }) => type === 'Accepted');
    expect(found?.message).toBe(`step a: ${message}`);
    const done = ['a', 'b', 'c'].map((name) => job(name, 'complete'));
    const next = decided(snapshot(flow(steps, { status: warned.status }), { jobs: done }), 9);
    expect(next.status.state).toBe('Succeed');
    expect(next.condition('Accepted')).toBe('True/UnknownField');
    expect(next.status.conditions).toContainEqual(
      expect.objectContaining({ message: found?.message }),
    );
  });

  it('leaves the condition with a retry whose Jobs lose no field', () => {
    const status = started([record('a', 'Failed')], {
      state: 'Failed',
      conditions: warned.status.conditions ?? [],
    });
    const again = flow([step('a')], { status, retry: '1' });
    expect(decided(snapshot(again), 9).condition('Accepted')).toBe('True/Valid');
  });
});
