import { describe, expect, it } from 'vitest';
import { record } from '../testing/builders.ts';
import { endOf, lastCompletion, obstacleOf } from './summary.ts';

describe('the end of a flow', () => {
  it('has not come while a step is not over', () => {
    expect(endOf([record('a', 'Failed'), record('b', 'Running')])).toBeUndefined();
  });

  it('is a failure that names all failed steps and the cause of the first', () => {
    const why = { reason: 'DeadlineExceeded', message: 'too long' };
    expect(
      endOf([record('a', 'Succeed'), record('b', 'Failed', why), record('c', 'Failed')]),
    ).toEqual({
      state: 'Failed',
      reason: 'StepFailed',
      message: 'failed: b, c (DeadlineExceeded: too long)',
    });
  });

  it('is a failure that names the cause before steps whose Jobs were deleted for it', () => {
    const cause = { reason: 'BackoffLimitExceeded', message: 'exited 1' };
    const steps = [
      record('a', 'Failed', { reason: 'Cancelled', message: 'deleted' }),
      record('b', 'Failed', cause),
    ];
    expect(endOf(steps)).toMatchObject({
      message: 'failed: b, a (BackoffLimitExceeded: exited 1)',
    });
  });

  it('is a failure also where the record of the failed step has no message', () => {
    expect(endOf([record('a', 'Failed')])).toMatchObject({ message: 'failed: a (Failed: )' });
  });

  it('is no success when steps were skipped, for whatever reason', () => {
    expect(endOf([record('a', 'Succeed'), record('b', 'Skipped')])).toEqual({
      state: 'Failed',
      reason: 'StepSkipped',
      message: 'steps were skipped although none failed',
    });
  });

  it('is when its last step ended, wherever that stands in the list', () => {
    const ended = (name: string, completionTime: string) =>
      record(name, 'Succeed', { completionTime });
    const records = [
      ended('a', '2026-01-05T10:00:02Z'),
      ended('b', '2026-01-05T10:00:03Z'),
      record('c', 'Skipped'),
      ended('d', '2026-01-05T10:00:01Z'),
    ];
    expect(lastCompletion(records)).toBe('2026-01-05T10:00:03Z');
    expect(lastCompletion([record('c', 'Skipped')])).toBeUndefined();
  });
});

describe('what holds a flow up', () => {
  const heldUp = record('a', 'Running', { reason: 'Unschedulable', message: 'no node' });
  const blocked = record('b', 'Blocked', { reason: 'Forbidden', message: 'no right' });

  it('is a step that is blocked, before one that does not run', () => {
    expect(obstacleOf([heldUp, blocked])).toEqual({
      reason: 'Forbidden',
      message: 'step b: no right',
    });
    expect(obstacleOf([record('x', 'Running'), heldUp])).toEqual({
      reason: 'Unschedulable',
      message: 'step a: no node',
    });
  });

  it('is reported also where the record of the step has no message', () => {
    expect(obstacleOf([record('a', 'Blocked')])).toEqual({
      reason: 'Blocked',
      message: 'step a: blocked',
    });
  });

  it('is nothing while steps run or wait for one another', () => {
    expect(obstacleOf([record('a', 'Running'), record('b', 'Waiting')])).toBeUndefined();
  });
});
