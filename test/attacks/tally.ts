/** The result of a run of the attack suite, row by row. */
import { type Attack, attacks, rowOf } from './table.ts';

export interface AttackTest {
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped';
}

export interface AttackTally {
  readonly safe: number;
  readonly open: number;
  readonly total: number;
  /** Faults of the list or of the product, one line each. */
  readonly faults: readonly string[];
}

/** Undefined when no test belongs to a row. */
export function tallyAttacks(
  tests: readonly AttackTest[],
  table: Readonly<Record<number, Attack>> = attacks,
): AttackTally | undefined {
  const byRow = Map.groupBy(tests, ({ title }) => rowOf(title));
  byRow.delete(undefined);
  if (byRow.size === 0) return undefined;
  const rows = Object.entries(table).map(([number, row]) => ({
    number: Number(number),
    open: row.open !== undefined,
    tests: byRow.get(Number(number)) ?? [],
  }));
  const safe = rows.filter(({ open, tests: own }) => !open && areSafe(own));
  return {
    safe: safe.length,
    open: rows.filter(({ open }) => open).length,
    total: rows.length,
    faults: rows.flatMap(faultOf),
  };
}

/** `attacks: 35 of 52 safe, 17 open`, then a line for each fault. */
export function attackLines({ safe, open, total, faults }: AttackTally): string {
  return [`attacks: ${safe} of ${total} safe, ${open} open`, ...faults].join('\n');
}

interface Row {
  readonly number: number;
  readonly open: boolean;
  readonly tests: readonly AttackTest[];
}

function areSafe(tests: readonly AttackTest[]): boolean {
  return tests.length > 0 && tests.every(({ state }) => state === 'passed');
}

function faultOf({ number, open, tests }: Row): readonly string[] {
  if (open) {
    return tests.length === 0 ? [] : [`attack ${number} is listed as open and has a test`];
  }
  if (tests.length === 0) return [`attack ${number} is listed as safe and has no test that ran`];
  return tests
    .filter(({ state }) => state !== 'passed')
    .map(({ title, state }) => `attack ${number} ${state}: ${title}`);
}
