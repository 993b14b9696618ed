/**
 * `npm run simulate:keep`: plays each kept scenario with its bug. If one no longer reveals it, another
 * is searched, made small, and written to regressions.json in its place. `-- --seeds N` tries so many
 * candidates of either sort. `--only TEXT` chooses rules with the text. `--anew` also replaces those
 * that still reveal their bugs. Exit code 1 if none was found for one of them.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import {
  type KeptScenario,
  keptScenarios,
  readRegressions,
  regressionsFile,
} from './kept-scenarios.ts';
import { inMutated } from './mutated-run.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seeds: { type: 'string', default: '4000' },
    anew: { type: 'boolean', default: false },
  },
});
const seeds = Number(values.seeds);

for (const kept of keptScenarios().filter(({ rule }) => rule.includes(values.only))) {
  if (!values.anew && (await bites(kept))) {
    print(`notices its bug: ${kept.rule}`);
    continue;
  }
  const scenario = await another(kept);
  print(`${scenario === undefined ? 'NOTHING FOUND' : 'found another'}: ${kept.rule}`);
  if (scenario === undefined) process.exitCode = 1;
  else await keep(kept.rule, scenario);
}

async function bites({ scenario, mutation, breaks }: KeptScenario): Promise<boolean> {
  const reply = await inMutated({ mutation, scenario });
  return reply.kind === 'played' && reply.violations.some((each) => each.startsWith(breaks));
}

/** One that the correct code passes, because a candidate may break the rule for another reason. */
async function another(kept: KeptScenario): Promise<Scenario | undefined> {
  const { scenario, mutation, breaks } = kept;
  for (let skip = 0; ;) {
    const reply = await inMutated({ mutation, scenario, search: { breaks, seeds, skip } });
    if (reply.kind !== 'found') return undefined;
    const { violations } = await runScenario(reply.shrunk.scenario);
    if (violations.length === 0) return reply.shrunk.scenario;
    skip = reply.tried;
  }
}

async function keep(rule: string, scenario: Scenario): Promise<void> {
  const regressions = readRegressions().map((each) =>
    each.rule === rule ? { rule, scenario } : each,
  );
  const text = await format(JSON.stringify(regressions), { parser: 'json', printWidth: 100 });
  await writeFile(regressionsFile, text);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
