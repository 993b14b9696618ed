import { describe, expect, it } from 'vitest';
import { testExtent } from '#test/support/test-extent.ts';
import { keptScenarios } from './kept-scenarios.ts';
import { inMutated } from './mutated-run.ts';
import { runScenario } from './run-scenario.ts';

/** Each needs a process of its own, which takes most of the time. They test the scenarios, not the product. */
const withBugs = testExtent() === 'full';

/** If a scenario no longer reveals its bug, `npm run simulate:keep` looks for another. */
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
