import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogger } from './telemetry.ts';

const escape = '\u001B';

async function readableLog(fields: object, message = 'a message'): Promise<string> {
  const destination = new PassThrough();
  const logger = await createLogger({
    ...{ name: 'millrace', version: '1', format: 'pretty', destination },
  });
  logger.info(fields, message);
  return String(destination.read());
}

test.each([
  ['a key', { key: `a/${escape}[2J` }],
  ['a reason', { why: `waits\r\n12:00:00 INFO: forged` }],
  ['a field', { flow: { name: `${escape}]0;title\u0007` } }],
  ['the name of a field', { labels: { [`${escape}[31m`]: 'x' } }],
  ['the message of an error', { err: new Error(`${escape}[1A overwritten\nforged line`) }],
  ['text that turns its direction', { why: 'abc\u202Etxt.exe' }],
  ['a control character of eight bits', { why: '\u009B2J' }],
])('%s in a readable log is shown on one line and moves no cursor', async (_what, fields) => {
  const text = await readableLog(fields);
  // The log's own colours are off, because the destination is not a terminal.
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text).not.toMatch(/^(forged|12:00:00)/m);
});

test('the stack of a foreign error keeps its lines', async () => {
  expect(await readableLog({ err: new Error('broken') })).toMatch(/\n +at /);
});
