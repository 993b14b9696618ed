/** A vitest reporter that writes the results of a run to a file, for the closing lines. */
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';
import { rowOf } from '#test/attacks/table.ts';
import type { AttackTest } from '#test/attacks/tally.ts';
import { type TestTally, tallyFileVariable } from './test-tally.ts';

type Fault = Pick<SerializedError, 'message'>;

export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly Fault[]): void {
    const file = process.env[tallyFileVariable];
    if (file !== undefined) writeFileSync(file, JSON.stringify(tallyOf(modules, unhandled)));
  }
}

function attackTests(module: TestModule): readonly AttackTest[] {
  const tests = [...module.children.allTests()].filter(({ fullName }) => rowOf(fullName));
  return tests.map((test) => {
    const { state } = test.result();
    return { title: test.fullName, state: state === 'pending' ? 'skipped' : state };
  });
}

function tallyOf(modules: readonly TestModule[], unhandled: readonly Fault[]): TestTally {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const count = (state: string): number =>
    tests.filter((test) => test.result().state === state).length;
  const [passed, failed] = [count('passed'), count('failed')];
  const failures = [
    ...unhandled.map((fault) => failureText('outside of a test', [fault])),
    ...modules.flatMap(failuresOf),
  ];
  const skipped = tests.length - passed - failed;
  return { passed, failures, skipped, attacks: modules.flatMap(attackTests) };
}

/** Failures in a file: of itself, a suite or a test. */
function failuresOf(module: TestModule): readonly string[] {
  const failures: string[] = [];
  const { project, relativeModuleId: file } = module;
  const report = (faults: readonly Fault[], ...names: readonly string[]): void => {
    failures.push(failureText([project.name, file, ...names].filter(Boolean).join(' > '), faults));
  };
  if (module.errors().length > 0) report(module.errors());
  for (const suite of module.children.allSuites()) {
    if (suite.errors().length > 0) report(suite.errors(), suite.fullName);
  }
  for (const test of module.children.allTests()) {
    const result = test.result();
    if (result.state === 'failed') report(result.errors, test.fullName);
  }
  return failures;
}

/** Only the beginning of a fault; the whole is in the test's own report. */
const shownLines = 60;

function failureText(where: string, faults: readonly Fault[]): string {
  const lines = faults.flatMap(({ message }) => stripVTControlCharacters(message).split('\n'));
  return [where, ...lines.slice(0, shownLines).map((line) => `  ${line}`)].join('\n');
}
