/** What a test run came to. */
import { attackLines, type AttackTest, tallyAttacks } from '#test/attacks/tally.ts';

export interface TestTally {
  readonly passed: number;
  readonly skipped: number;
  /** One for each failed test and each fault outside of a test (a file, a hook, a set-up): where and why. */
  readonly failures: readonly string[];
  /** The tests that belong to a row of the table of attacks. */
  readonly attacks: readonly AttackTest[];
}

/** The environment variable that names the file where the reporter leaves the tally. */
export const tallyFileVariable = 'MILLRACE_TEST_TALLY';

export interface TestRun {
  /** What it ran, for the words of a failure. */
  readonly name: string;
  /** Undefined: it ended before its reporter did. */
  readonly tally: TestTally | undefined;
  readonly exitCode: number;
}

/**
 * What the runs came to together, as it is reported. A run that ended before its reporter did is one
 * failed; so is a non-zero exit that no told failure explains, and no passed test in any of them.
 */
export function settleRuns(runs: readonly TestRun[], failedChecks: readonly string[]): TestTally {
  const settled = runs.map(settleRun);
  const passed = settled.reduce((total, each) => total + each.passed, 0);
  const skipped = settled.reduce((total, each) => total + each.skipped, 0);
  const failures = [
    ...failedChecks.map((name) => `check: ${name}`),
    ...settled.flatMap((each) => each.failures),
  ];
  const attacks = settled.flatMap((each) => each.attacks);
  const isEmpty = failures.length === 0 && passed === 0;
  return { passed, skipped, failures: isEmpty ? ['no test passed'] : failures, attacks };
}

function settleRun({ name, tally, exitCode }: TestRun): TestTally {
  if (tally === undefined) {
    const failure = `${name}: ended with ${exitCode} before it told what came of it`;
    return { passed: 0, skipped: 0, failures: [failure], attacks: [] };
  }
  if (tally.failures.length > 0 || exitCode === 0) return tally;
  return { ...tally, failures: [`${name}: ended with ${exitCode}, although no test failed`] };
}

/**
 * How many attacks are safe when there were any, each failure once more, and last of all `12 passed, 0 failed`, with
 * `, 3 skipped` when there are any.
 */
export function closingLines(tally: TestTally): readonly string[] {
  const { passed, failures, skipped } = tally;
  const counts = `${passed} passed, ${failures.length} failed`;
  const attacks = tallyAttacks(tally.attacks);
  return [
    ...(attacks === undefined ? [] : [attackLines(attacks)]),
    ...failures.map((failure) => `FAILED ${failure}`),
    skipped > 0 ? `${counts}, ${skipped} skipped` : counts,
  ];
}
