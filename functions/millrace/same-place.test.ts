import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from './program.ts';
import { inSamePlace } from './same-place.ts';

/** The command as it was typed, without executing it. */
function typed(line: string): Command {
  const program = createProgram('millrace');
  const [verb = '', ...words] = line.split(' ');
  const command = program.commands.find((each) => each.name() === verb);
  if (command === undefined) throw new Error(`there is no ${verb}`);
  command.parseOptions(words);
  return command;
}

test.each([
  ['cancel f -n team-a', 'millrace get jobflow/f', 'millrace get jobflow/f -n team-a'],
  [
    'retry f --context test --kubeconfig ./k',
    'millrace why jobflow/f',
    'millrace why jobflow/f --kubeconfig ./k --context test',
  ],
  ['cancel f', 'millrace get jobflow/f', 'millrace get jobflow/f'],
  ['why f -n team-a', 'millrace why --all -n team-b', 'millrace why --all -n team-b'],
  ['get f -n team-a', 'millrace get --help', 'millrace get --help'],
  ['apply -n team-a', 'millrace lint flow.yaml', 'millrace lint flow.yaml'],
  ['apply -n team-a', 'millrace doctor', 'millrace doctor'],
  ['get f -n team-a', 'kubectl get millrace -A', 'kubectl get millrace -A'],
  ['get f -n team-a --context test', 'millrace get -A', 'millrace get -A --context test'],
])('after `%s`, `%s` is printed as `%s`', (line, hint, expected) => {
  expect(inSamePlace(hint, typed(line))).toBe(expected);
});
