/** Output that users and machines read: logs, terminals, metrics. */
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { renderLine } from '#functions/millrace/terminal/line.ts';
import { createLogger } from '#shared/runtime/process/telemetry.ts';

const nasty = [
  'a\n{"level":"info","msg":"forged"}',
  '\u001b[2J\u001b]0;owned\u0007',
  '\u202egnp.exe',
  '\r\u0000\u0085\u2028',
  '<script>alert(1)</script>',
];

it('#31 writes one JSON line for each log call, whatever names and messages contain', async () => {
  let written = '';
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written += chunk.toString();
      done();
    },
  });
  const logger = await createLogger({ name: 'a', version: '1', format: 'json', destination });
  for (const text of nasty) logger.info({ key: text, err: new Error(text) }, text);
  const lines = written.trimEnd().split('\n');
  expect(lines).toHaveLength(nasty.length);
  for (const [index, line] of lines.entries()) {
    expect(JSON.parse(line)).toMatchObject({ key: nasty[index], msg: nasty[index] });

    expect(line).not.toMatch(/[\u0000-\u001f]/);
  }
});

it('#30 shows no control character of a message on a terminal', () => {
  for (const text of nasty) {
    const shown = renderLine(['step ', [text, 'red']], { colour: false, utf8: true });
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
  }
});
