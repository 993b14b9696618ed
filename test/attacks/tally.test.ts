import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attacks, rowOf } from './table.ts';
import { attackLines, type AttackTest, tallyAttacks } from './tally.ts';

const table = {
  1: { attack: 'one', outcome: 'refused' },
  2: { attack: 'two', outcome: 'refused' },
  3: { attack: 'three', outcome: 'refused', open: 'later' },
};
const passed = (title: string): AttackTest => ({ title, state: 'passed' });
const failed = (title: string): AttackTest => ({ title, state: 'failed' });

describe('the tally of attacks', () => {
  it('counts a row as safe when all of its tests passed', () => {
    const tally = tallyAttacks([passed('#01 a'), passed('#01 b'), passed('#02 c')], table);
    expect(tally).toEqual({ safe: 2, open: 1, total: 3, faults: [] });
    expect(attackLines(tally!)).toBe('attacks: 2 of 3 safe, 1 open');
  });

  it('does not count a row of which one test failed', () => {
    const tally = tallyAttacks([passed('#01 a'), failed('#01 b'), passed('#02 c')], table);
    expect(tally).toMatchObject({ safe: 1, faults: ['attack 1 failed: #01 b'] });
  });

  it('names a row that is listed as safe and was not tested', () => {
    expect(tallyAttacks([passed('#01 a')], table)?.faults).toEqual([
      'attack 2 is listed as safe and has no test that ran',
    ]);
  });

  it('names a row that is listed as open although a test of it exists', () => {
    const tests = [passed('#01 a'), passed('#02 b'), passed('#03 c')];
    expect(tallyAttacks(tests, table)?.faults).toEqual([
      'attack 3 is listed as open and has a test',
    ]);
  });

  it('says nothing of a run without any attack', () => {
    expect(tallyAttacks([passed('another test')], table)).toBeUndefined();
  });
});

describe('the table of attacks', () => {
  it('has 63 rows, numbered without a gap', () => {
    expect(Object.keys(attacks).map(Number)).toEqual(Array.from({ length: 63 }, (_, n) => n + 1));
  });

  it('has a test for every row that is not open, and none for those that are', () => {
    const tested = new Set(titles().map(rowOf));
    const safe = Object.entries(attacks).filter(([, { open }]) => open === undefined);
    expect([...tested].filter((row) => row !== undefined).sort((a, b) => a - b)).toEqual(
      safe.map(([number]) => Number(number)),
    );
  });
});

function titles(): readonly string[] {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && file !== 'tally.test.ts')
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'));
  return files.flatMap((text) => text.match(/#\d{2} [^'"`]*/g) ?? []);
}
