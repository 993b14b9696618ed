import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from './program.ts';
import { asksForJson, usageFailure, withoutEqualsSigns } from './usage-failure.ts';

async function refused(...words: readonly string[]) {
  const program = createProgram('millrace');
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const { exitCode, message, next } = usageFailure(program, words, error);
    return [exitCode, message, next];
  }
  throw new Error(`${words.join(' ')} is not refused`);
}

test.each([
  [['rety', 'hello'], "unknown command 'rety'; did you mean retry?", 'millrace retry --help'],
  [['help', 'rety'], "unknown command 'rety'; did you mean retry?", 'millrace retry --help'],
  [['xyzzyx'], "unknown command 'xyzzyx'", 'millrace --help'],
  [
    ['queue', '-n', 'team-a', 'rety'],
    "unknown command 'rety' of `millrace queue`; did you mean retry?",
    'millrace queue retry --help',
  ],
  [
    ['schedule', 'prevew'],
    "unknown command 'prevew' of `millrace schedule`; did you mean preview?",
    'millrace schedule preview --help',
  ],
  [
    ['-n', 'team-a', 'get', 'hello'],
    'options stand behind the verb',
    'millrace get -n team-a hello',
  ],
  [['-n', 'team-a'], "unknown option '-n'", 'millrace --help'],
  [['retry'], 'argument <name> is missing', 'millrace retry --help'],
  [
    ['retry', 'hello', '--stpe', 'a'],
    "unknown option '--stpe'; did you mean --step?",
    'millrace retry --help',
  ],
  [
    ['cancel', 'a', 'b'],
    "too many arguments for 'cancel'. Expected 1 argument but got 2: a, b",
    'millrace cancel --help',
  ],
  [['apply'], "option '-f, --filename <file>' is missing", 'millrace apply --help'],
  [
    ['suspend', 'a', '--until', 'tomorrow'],
    "option '--until <time>' argument 'tomorrow' is invalid: write how long from now, such as 90m, 8h or 3d, or a time with its offset: YYYY-MM-DDThh:mm:ssZ",
    'millrace suspend --help',
  ],
  ...[['why', 'a'], ['journal'], ['replay'], ['queue'], ['doctor'], ['run'], ['up']].map(
    (words) =>
      [
        [...words, '--redis', 'localhost:6379'],
        "option '--redis <url>' argument 'localhost:6379' is invalid: it starts with redis:// or rediss://",
        `millrace ${words[0]} --help`,
      ] as const,
  ),
  [
    ['get', 'a', '-o', 'jsonpath='],
    "option '-o, --output <format>' argument 'jsonpath=' is invalid: it is one of tree, wide, json, yaml, name, jsonpath=TEMPLATE",
    'millrace get --help',
  ],
  [
    ['completion', 'tcsh'],
    "argument <shell> 'tcsh' is invalid: it is one of bash, zsh, fish, pwsh",
    'millrace completion --help',
  ],
  [
    ['why', 'a', '-o', 'jsn'],
    "option '-o, --output <format>' argument 'jsn' is invalid: it is one of text, json",
    'millrace why --help',
  ],
] as const)('%j is refused with what is wrong and the next command', async (words, ...expected) => {
  expect(await refused(...words)).toEqual([2, ...expected]);
});

test('JSON is seen to be asked for in each spelling of the option', () => {
  for (const line of ['why --json', 'why x -o json', 'why -ojson x', 'why --output=json x']) {
    expect(asksForJson(line.split(' ')), line).toBe(true);
  }
  expect(asksForJson(['why', 'json', '-o', 'text'])).toBe(false);
});

test('a short option may have an equals sign before its value, as in kubectl', () => {
  const words = ['get', 'a=b', '-o=json', '-n=team-a', '--for=x', '-w', '-o=', '--', '-o=yaml'];
  const read = ['get', 'a=b', '-ojson', '-nteam-a', '--for=x', '-w', '-o=', '--', '-o=yaml'];
  expect(withoutEqualsSigns(words)).toEqual(read);
});
