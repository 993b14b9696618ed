/** What a test run came to. A fault outside of a test (a file, a hook, a set-up) is one failed. */
export interface TestTally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The environment variable that names the file where the reporter leaves the tally. */
export const tallyFileVariable = 'MILLRACE_TEST_TALLY';

export interface TestRun {
  /** Undefined: it ended before its reporter did. */
  readonly tally: TestTally | undefined;
  readonly exitCode: number;
}

/**
 * What the runs came to together, as it is reported. A run that ended before its reporter did is one
 * failed; so is a non-zero exit that no counted failure explains, and no passed test in any of them.
 */
export function settleRuns(runs: readonly TestRun[], failedChecks: number): TestTally {
  const settled = runs.map(settleRun);
  const sum = (field: keyof TestTally): number =>
    settled.reduce((total, each) => total + each[field], 0);
  const [passed, skipped] = [sum('passed'), sum('skipped')];
  const failed = sum('failed') + failedChecks;
  return { passed, skipped, failed: failed === 0 && passed === 0 ? 1 : failed };
}

function settleRun({ tally, exitCode }: TestRun): TestTally {
  const counted = tally ?? { passed: 0, failed: 0, skipped: 0 };
  return counted.failed === 0 && exitCode !== 0 ? { ...counted, failed: 1 } : counted;
}

/** `12 passed, 0 failed`, with `, 3 skipped` when there are any. */
export function closingLine({ passed, failed, skipped }: TestTally): string {
  const counts = `${passed} passed, ${failed} failed`;
  return skipped > 0 ? `${counts}, ${skipped} skipped` : counts;
}
