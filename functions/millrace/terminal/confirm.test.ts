import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { CommandFailure } from '../command-failure.ts';
import { requireConfirmed } from './confirm.ts';

const question = 'drop 2 parked items?';
const next = 'the same command with --yes';

/** A terminal on which a user types these words. */
function terminalOf(typed: string, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  let asked = '';
  output.on('data', (text: Buffer) => (asked += text.toString()));
  input.write(`${typed}\n`);
  return { input, output, asked: () => asked };
}

test.each(['y', 'YES', ' yes '])('"%s" is a yes', async (typed) => {
  const terminal = terminalOf(typed);
  await requireConfirmed(question, {}, terminal);
  expect(terminal.asked()).toContain('drop 2 parked items? [y/N] ');
});

test.each(['', 'n', 'yeah'])('"%s" is a no', async (typed) => {
  const answered = requireConfirmed(question, {}, terminalOf(typed));
  await expect(answered).rejects.toMatchObject({ exitCode: 1, next });
});

test('with --yes the user is not asked', async () => {
  const terminal = terminalOf('n');
  await requireConfirmed(question, { yes: true, input: false }, terminal);
  expect(terminal.asked()).toBe('');
});

test.each([
  ['with --no-input', { input: false }, true, /Nobody is asked: --no-input/],
  ['without a terminal', {}, false, /Nobody can answer: this is no terminal/],
])(
  '%s the user is not asked, and the command that does not ask is named',
  async (_, options, isTTY, words) => {
    const terminal = terminalOf('y', isTTY);
    const answered = requireConfirmed(question, options, terminal);
    await expect(answered).rejects.toThrow(CommandFailure);
    await expect(answered).rejects.toMatchObject({ exitCode: 2, next });
    await expect(answered).rejects.toThrow(words);
    expect(terminal.asked()).toBe('');
  },
);
