/** The extent of a run of suites that could take hours. */
export type TestExtent = 'quick' | 'recorded' | 'full';

/**
 * The environment variable for it. `quick`: few seeds of the simulation, and no processes with a planted bug.
 * `recorded`: as in CI, without the tests that CONTRIBUTING.md lists, and a part of conformance while its record is of
 * the same sources. Default: `full`.
 */
export const extentVariable = 'MILLRACE_TEST_EXTENT';

/** Throws for any other word. */
export function testExtent(said = process.env[extentVariable] ?? 'full'): TestExtent {
  if (said === 'quick' || said === 'recorded' || said === 'full') return said;
  throw new Error(`${extentVariable} is ${said}; it is one of quick, recorded and full`);
}
