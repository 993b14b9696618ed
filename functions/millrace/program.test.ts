import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { exitCodes, exitMeanings, type ExitWord } from './command-failure.ts';
import { createProgram } from './program.ts';

const program = createProgram('kubectl millrace');
const everyCommand = [program, ...below(program)].map(
  (command) => [pathOf(command), command] as const,
);

test.each(everyCommand)('the help of `%s` starts with two examples or more', (_path, command) => {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const [title, ...rest] = help.split('\n');
  const examples = rest.slice(0, rest.indexOf(''));
  expect(title).toBe('Examples:');
  expect(examples.length).toBeGreaterThanOrEqual(2);
  for (const example of examples) {
    expect(example).toMatch(/^ {2}kubectl millrace /);
    expect(verbsOf(program)).toContain(example.trim().split(' ')[2]);
  }
});

test.each(everyCommand)('the help of `%s` fits a terminal of 80 columns', (_path, command) => {
  let help = '';
  command
    .configureOutput({ getOutHelpWidth: () => 80, writeOut: (text) => (help += text) })
    .outputHelp();
  // Examples are commands to copy.
  const [, ...rest] = help.split('\n\n');
  expect(rest.flatMap((part) => part.split('\n')).filter((line) => line.length > 80)).toEqual([]);
});

test.each(['list', 'show', 'retry', 'drop'])(
  'the help of `queue %s` has the options of queue',
  (verb) => {
    let help = '';
    everyCommand
      .find(([path]) => path.endsWith(` queue ${verb}`))?.[1]
      .configureOutput({ writeOut: (text) => (help += text) })
      .outputHelp();
    for (const option of ['--kubeconfig', '--namespace', '--redis', '--output', '--json']) {
      expect(help).toContain(`${option} `);
    }
    expect(help).not.toContain('--version');
  },
);

test('`help --all` is the help of every verb', async () => {
  let help = '';
  const asked = createProgram('millrace');
  for (const command of [asked, ...below(asked)]) {
    command.configureOutput({ writeOut: (text) => (help += text) });
  }
  await asked.parseAsync(['help', '--all'], { from: 'user' });
  for (const [path] of everyCommand) {
    expect(help).toContain(`Usage: ${path.replace('kubectl millrace', 'millrace')}`);
  }
});

test('the help of the program has every exit code', () => {
  let help = '';
  createProgram('millrace')
    .configureOutput({ writeOut: (text) => (help += text) })
    .outputHelp();
  for (const [word, code] of Object.entries(exitCodes)) {
    expect(help).toContain(`${`${code}`.padEnd(3)}  ${exitMeanings[word as ExitWord]}`);
  }
});

const withJson = everyCommand.filter(([, { options }]) =>
  options.some(({ long, argChoices }) => long === '--output' && argChoices?.includes('json')),
);

test('there are verbs with -o json', () => {
  expect(withJson.length).toBeGreaterThan(8);
});

test.each(withJson)('`%s --json` is as -o json', (_path, command) => {
  const flag = command.options.find(({ long }) => long === '--json');
  expect(flag).toMatchObject({ implied: { output: 'json' } });
});

test('`lint` takes its files with and without -f, and needs one', async () => {
  const asked = (...words: readonly string[]) =>
    createProgram('millrace').parseAsync(words, { from: 'user' });
  await expect(asked('lint')).rejects.toThrow('a file or folder is needed');
  await expect(asked('lint', '-f', '/absent.yaml')).rejects.toThrow('/absent.yaml');
  await expect(asked('lint', '/absent.yaml')).rejects.toThrow('/absent.yaml');
});

test.each([
  ['journal', '--from', '1h', '--to', '2h'],
  ['journal', 'export', '--since', '1h', '--to', '2h'],
  ['replay', '--to', '2020-01-01T00:00:00Z', '--from', '2020-01-02T00:00:00Z'],
])('`%s %s` refuses an end before the beginning', async (...words) => {
  await expect(createProgram('millrace').parseAsync(words, { from: 'user' })).rejects.toThrow(
    /^--to \S+Z is before --from \S+Z$/,
  );
});

test('each verb stands in a group of the help', () => {
  const known = program.commands.map((command) => command.helpGroup());
  expect(known.filter((group) => group === '')).toEqual([]);
});

function below(command: Command): readonly Command[] {
  return command.commands.flatMap((each) => [each, ...below(each)]);
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function verbsOf({ commands }: Command): readonly string[] {
  return commands.flatMap((command) => [command.name(), ...command.aliases()]);
}
