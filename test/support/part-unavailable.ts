/**
 * A real part (Redis, control plane) that this machine cannot have. The message says what is
 * missing and names the way to get it.
 */
export class PartUnavailable extends Error {
  override readonly name: string = 'PartUnavailable';
}

/**
 * Suites that need a part are skipped where the machine cannot have it, with one loud line;
 * with CI=true that is a failure. Returns undefined for a skipped part.
 */
export async function obtainOrSkip<T>(obtain: () => Promise<T>): Promise<T | undefined> {
  try {
    return await obtain();
  } catch (error) {
    if (!(error instanceof PartUnavailable) || process.env['CI'] === 'true') throw error;
    process.stderr.write(`\n!!! SKIPPED: ${error.message}\n\n`);
    return undefined;
  }
}

/** For preparations that take minutes: on standard error, which a test report does not use. */
export function reportProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}
