/**
 * A vitest reporter that leaves the counts of a run in a file, for the closing line, and says how
 * many attacks are safe when the run had any.
 */
import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { attackLines, type AttackTest, tallyAttacks } from '#test/attacks/tally.ts';
import { type TestTally, tallyFileVariable } from './test-tally.ts';

export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const file = process.env[tallyFileVariable];
    if (file !== undefined) writeFileSync(file, JSON.stringify(tallyOf(modules, unhandled.length)));
    const attacks = tallyAttacks(modules.flatMap(attackTests));
    if (attacks !== undefined) process.stdout.write(`${attackLines(attacks)}\n`);
  }
}

function attackTests(module: TestModule): readonly AttackTest[] {
  return [...module.children.allTests()].map((test) => {
    const { state } = test.result();
    return { title: test.fullName, state: state === 'pending' ? 'skipped' : state };
  });
}

function tallyOf(modules: readonly TestModule[], unhandled: number): TestTally {
  let passed = 0;
  let failed = unhandled;
  let skipped = 0;
  for (const module of modules) {
    if (module.errors().length > 0) failed += 1;
    for (const suite of module.children.allSuites()) {
      if (suite.errors().length > 0) failed += 1;
    }
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      else if (state === 'failed') failed += 1;
      else skipped += 1;
    }
  }
  return { passed, failed, skipped };
}
