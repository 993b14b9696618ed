import { describe, expect, it } from 'vitest';
import {
  childJobName,
  flowNameFault,
  indexedNameFault,
  isDns1123Label,
  stepNameFault,
} from './names.ts';

describe('childJobName', () => {
  it('is flow and step, with the attempt when it is not the first', () => {
    expect(childJobName('jobflow-example', 'job1', 0)).toBe('jobflow-example-job1');
    expect(childJobName('jobflow-example', 'job1', 2)).toBe('jobflow-example-job1-r2');
  });
});

describe('stepNameFault (rule 4)', () => {
  it.each([['job1'], ['job2-error-container'], ['r1'], ['a-r1-b'], ['a-r']])(
    'accepts %s',
    (name) => {
      expect(stepNameFault('flow', name)).toBeUndefined();
    },
  );

  it.each([
    ['a.b', 'DNS-1123'],
    ['Job', 'DNS-1123'],
    ['-a', 'DNS-1123'],
    ['', 'DNS-1123'],
    ['a-r1', 'retry'],
    ['a-r007', 'retry'],
  ])('refuses %s', (name, words) => {
    expect(stepNameFault('flow', name)).toContain(words);
  });

  it('says both lengths when flow and step are too long together, and fits at the limit', () => {
    expect(stepNameFault('f'.repeat(40), 's'.repeat(23))).toMatch(/40 characters.*23 characters/);
    expect(stepNameFault('f'.repeat(40), 's'.repeat(19))).toContain('at most 58');
    expect(stepNameFault('f'.repeat(40), 's'.repeat(18))).toBeUndefined();
    expect(childJobName('f'.repeat(40), 's'.repeat(18), 99)).toHaveLength(63);
    expect(isDns1123Label(childJobName('f'.repeat(40), 's'.repeat(18), 99))).toBe(true);
  });
});

describe('flowNameFault (rule 4)', () => {
  it('refuses dots and accepts a label', () => {
    expect(flowNameFault('a.b')).toContain('a.b');
    expect(flowNameFault('a-b')).toBeUndefined();
  });
});

describe('indexedNameFault (rule 4)', () => {
  it('counts the longest index of the last attempt', () => {
    expect(indexedNameFault('f'.repeat(27), 's'.repeat(27), 1000)).toBeUndefined();
    expect(indexedNameFault('f'.repeat(27), 's'.repeat(28), 1000)).toContain('64 characters');
    expect(indexedNameFault('f'.repeat(27), 's'.repeat(28), 100)).toBeUndefined();
  });
});
