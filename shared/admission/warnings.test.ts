import fc from 'fast-check';
import { expect, it } from 'vitest';
import { boundedWarnings, maxWarningLength, maxWarningsLength } from './warnings.ts';

const lengthOf = (text: string) => Array.from(text).length;

it('leaves warnings as they are when the API server takes them', () => {
  expect(boundedWarnings(['mind the gap', 'mind your head'])).toEqual([
    'mind the gap',
    'mind your head',
  ]);
});

it('is never more than the API server hands on, nor anything that it drops', () => {
  const text = fc.string({ unit: 'binary', maxLength: 600 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 80 }), (warnings) => {
      const kept = boundedWarnings(warnings);
      const total = kept.reduce((sum, warning) => sum + lengthOf(warning), 0);
      expect(total).toBeLessThanOrEqual(maxWarningsLength);
      expect(new Set(kept).size).toBe(kept.length);
      for (const warning of kept) {
        expect(lengthOf(warning)).toBeLessThanOrEqual(maxWarningLength);
        expect(warning).toMatch(/^[^\p{Cc}]+$/u);
      }
    }),
  );
});

it('the last warning says how many are left out', () => {
  const warnings = Array.from({ length: 30 }, (_, index) => `${index}`.padEnd(200, '.'));
  const kept = boundedWarnings(warnings);
  expect(kept).toHaveLength(21);
  expect(kept.slice(0, 20)).toEqual(warnings.slice(0, 20));
  expect(kept.at(-1)).toBe('and 10 more warnings');
});

it('marks one that is cut', () => {
  const [cut = ''] = boundedWarnings(['é'.repeat(500)]);
  expect(cut).toBe(`${'é'.repeat(253)}...`);
});
