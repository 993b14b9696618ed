/**
 * A real part (Redis, control plane) that this machine cannot provide. The message says what is
 * missing and how to get it.
 */
export class PartUnavailable extends Error {
  override readonly name: string = 'PartUnavailable';
}

/**
 * A suite is skipped if the machine cannot provide its part, with one loud line. With CI=true that
 * is a failure. Returns undefined for a skipped part.
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

/** For preparations of several minutes: on standard error, which test reports do not use. */
export function reportProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}
