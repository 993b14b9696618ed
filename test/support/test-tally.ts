/** The result of a test run. */
import { attackLines, type AttackTest, tallyAttacks } from '#test/attacks/tally.ts';

export interface TestTally {
  readonly passed: number;
  readonly skipped: number;
  /** Place and reason of each failed test and each fault outside of tests (a file, a hook, a set-up). */
  readonly failures: readonly string[];
  /** The tests in the table of attacks. */
  readonly attacks: readonly AttackTest[];
}

/** The environment variable for the reporter's output file. */
export const tallyFileVariable = 'MILLRACE_TEST_TALLY';

export interface TestRun {
  /** Its name in failure messages. */
  readonly name: string;
  /** Undefined: it ended before its reporter. */
  readonly tally: TestTally | undefined;
  readonly exitCode: number;
}

/**
 * The combined result of all runs. A run that ended before its reporter counts as one failure. So does a non-zero
 * exit without a reported failure, and a result without a passed test.
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
    const failure = `${name}: ended with ${exitCode} before it reported its result`;
    return { passed: 0, skipped: 0, failures: [failure], attacks: [] };
  }
  if (tally.failures.length > 0 || exitCode === 0) return tally;
  return { ...tally, failures: [`${name}: ended with ${exitCode}, although no test failed`] };
}

/**
 * The number of safe attacks if there were any, then each failure again. The last line is `12 passed, 0 failed`,
 * with `, 3 skipped` if there are any.
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
