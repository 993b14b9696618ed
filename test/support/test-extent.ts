/** How much a run of the suites does of what could go on for hours. */
export type TestExtent = 'quick' | 'recorded' | 'full';

/**
 * The environment variable that says it. `quick`: few seeds of the simulation, and none of the processes that have a
 * bug. `recorded`: what CI runs, without what CONTRIBUTING.md lists, and of conformance a part while its record is of the
 * same sources. Default: `full`.
 */
export const extentVariable = 'MILLRACE_TEST_EXTENT';

/** Throws for another word. */
export function testExtent(said = process.env[extentVariable] ?? 'full'): TestExtent {
  if (said === 'quick' || said === 'recorded' || said === 'full') return said;
  throw new Error(`${extentVariable} is ${said}; it is one of quick, recorded and full`);
}
