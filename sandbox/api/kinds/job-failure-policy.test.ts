import { describe, expect, it } from 'vitest';
import { failurePolicyFaults, withFailurePolicyDefaults } from './job-failure-policy.ts';

const faultsOf = (rule: object) => failurePolicyFaults({ podFailurePolicy: { rules: [rule] } });
const on = (values: readonly number[]) => ({ onExitCodes: { operator: 'In', values } });

describe('a podFailurePolicy', () => {
  it('names a known action in each rule', () => {
    expect(faultsOf({ action: 'Ignore', ...on([1]) })).toEqual([]);
    expect(faultsOf(on([1])).map(({ field }) => field)).toEqual([
      'spec.podFailurePolicy.rules[0].action',
    ]);
    expect(faultsOf({ action: 'Cheer', ...on([1]) })[0]?.reason).toBe('FieldValueNotSupported');
  });

  it('cannot ask for the exit code of a success', () => {
    expect(faultsOf({ action: 'FailJob', ...on([3, 0]) }).map(({ field }) => field)).toEqual([
      'spec.podFailurePolicy.rules[0].onExitCodes.values[1]',
    ]);
  });

  it('takes a condition without a status for one that is True', () => {
    const rule = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] };
    expect(withFailurePolicyDefaults({ rules: [rule] })).toEqual({
      rules: [{ ...rule, onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
    });
  });
});

it('new Pods come after a failure in one of two known ways', () => {
  expect(failurePolicyFaults({ podReplacementPolicy: 'Failed' })).toEqual([]);
  expect(failurePolicyFaults({ podReplacementPolicy: 'Maybe' })[0]?.message).toBe(
    'Unsupported value: "Maybe": supported values: "Failed", "TerminatingOrFailed"',
  );
});
