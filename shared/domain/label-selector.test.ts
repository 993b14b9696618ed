import { describe, expect, it } from 'vitest';
import { isSelected, type LabelRequirement } from './label-selector.ts';
import { inheritedNames } from './testing/inherited-names.ts';

const labels = { tier: 'batch', team: 'a' };

describe('a label selector', () => {
  it('selects everything when it is empty', () => {
    expect(isSelected({}, labels)).toBe(true);
    expect(isSelected({}, undefined)).toBe(true);
  });

  it('wants each label with its value', () => {
    expect(isSelected({ matchLabels: { tier: 'batch' } }, labels)).toBe(true);
    expect(isSelected({ matchLabels: { tier: 'batch', team: 'b' } }, labels)).toBe(false);
    expect(isSelected({ matchLabels: { tier: 'batch' } }, undefined)).toBe(false);
  });

  it.each<[LabelRequirement, boolean]>([
    [{ key: 'team', operator: 'In', values: ['a', 'b'] }, true],
    [{ key: 'team', operator: 'In', values: ['b'] }, false],
    [{ key: 'none', operator: 'In', values: ['b'] }, false],
    [{ key: 'team', operator: 'NotIn', values: ['b'] }, true],
    [{ key: 'team', operator: 'NotIn', values: ['a'] }, false],
    [{ key: 'none', operator: 'NotIn', values: ['a'] }, true],
    [{ key: 'team', operator: 'Exists' }, true],
    [{ key: 'none', operator: 'Exists' }, false],
    [{ key: 'none', operator: 'DoesNotExist' }, true],
    [{ key: 'team', operator: 'DoesNotExist' }, false],
  ])('wants that %j: %s', (requirement, holds) => {
    expect(isSelected({ matchExpressions: [requirement] }, labels)).toBe(holds);
    const also = { matchLabels: { tier: 'other' }, matchExpressions: [requirement] };
    expect(isSelected(also, labels)).toBe(false);
  });

  it.each(inheritedNames)('does not find the label %s on an object without it', (key) => {
    expect(isSelected({ matchExpressions: [{ key, operator: 'Exists' }] }, labels)).toBe(false);
    expect(isSelected({ matchExpressions: [{ key, operator: 'DoesNotExist' }] }, labels)).toBe(
      true,
    );
  });
});
