/** Scenarios that broke a rule once, each with the bug that it was kept for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutation } from '../mutants/mutant.ts';
import { keptScenarioMutants } from '../mutants/list/kept-scenarios.ts';
import type { Scenario } from './scenario.ts';

export interface Regression {
  /** The rule that it broke before the fix. */
  readonly rule: string;
  readonly scenario: Scenario;
}

export interface KeptScenario extends Regression {
  readonly mutation: Mutation;
  /** Beginning of one of its violations with the bug. */
  readonly breaks: string;
}

export const regressionsFile = join(import.meta.dirname, 'regressions.json');

export function readRegressions(): readonly Regression[] {
  return JSON.parse(readFileSync(regressionsFile, 'utf8')) as readonly Regression[];
}

/** Throws if a scenario has no mutant, or a mutant no scenario. */
export function keptScenarios(): readonly KeptScenario[] {
  const regressions = readRegressions();
  const rules = new Set(regressions.map(({ rule }) => rule));
  for (const { rule } of keptScenarioMutants) {
    if (!rules.has(rule)) throw new Error(`no scenario is kept for the mutant of "${rule}"`);
  }
  return regressions.map((regression) => ({ ...regression, ...mutantOf(regression.rule) }));
}

function mutantOf(rule: string): Pick<KeptScenario, 'mutation' | 'breaks'> {
  const found = keptScenarioMutants.find((mutant) => mutant.rule === rule);
  if (found === undefined) {
    throw new Error(
      `a scenario is kept for "${rule}" without the bug that it notices: ` +
        'add the mutant that undoes its mend to test/mutants/list/kept-scenarios.ts',
    );
  }
  const { breaks, ...change } = found;
  return { breaks, mutation: { name: rule, ...change } };
}
