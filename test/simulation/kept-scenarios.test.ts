import { describe, expect, it } from 'vitest';
import { testExtent } from '#test/support/test-extent.ts';
import { keptScenarios } from './kept-scenarios.ts';
import { inMutated } from './mutated-run.ts';
import { runScenario } from './run-scenario.ts';

/** A process of its own for each: most of the time of these tests. They tell about the scenarios, and not the product. */
const withBugs = testExtent() === 'full';

/** When one notices its bug no more: `npm run simulate:keep` seeks another one. */
describe.each(keptScenarios())('kept: $rule', ({ scenario, mutation, breaks }) => {
  it('passes', async () => {
    expect((await runScenario(scenario)).violations).toEqual([]);
  });

  if (!withBugs) return;
  it('notices the bug that it was kept for', async () => {
    const reply = await inMutated({ mutation, scenario });
    const violations = reply.kind === 'played' ? reply.violations : [];
    expect(violations.map((violation) => violation.slice(0, breaks.length))).toContain(breaks);
  });
});
