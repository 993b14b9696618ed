/** What a test run came to. A fault outside of a test (a file, a hook, a set-up) is one failed. */
export interface TestTally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The environment variable that names the file where the reporter leaves the tally. */
export const tallyFileVariable = 'MILLRACE_TEST_TALLY';

/**
 * The tally as it is reported. Undefined (the run ended before its reporter did) is one failed;
 * so are a run without any passed test and a non-zero exit that no counted failure explains.
 */
export function settleTally(
  tally: TestTally | undefined,
  exitCode: number,
  failedChecks: number,
): TestTally {
  const counted = tally ?? { passed: 0, failed: 0, skipped: 0 };
  const unexplained = counted.failed === 0 && (exitCode !== 0 || counted.passed === 0);
  return { ...counted, failed: counted.failed + failedChecks + (unexplained ? 1 : 0) };
}

/** `12 passed, 0 failed`, with `, 3 skipped` when there are any. */
export function closingLine({ passed, failed, skipped }: TestTally): string {
  const counts = `${passed} passed, ${failed} failed`;
  return skipped > 0 ? `${counts}, ${skipped} skipped` : counts;
}
