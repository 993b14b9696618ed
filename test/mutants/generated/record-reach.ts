/** Setup of a test file that counts: records the candidates that it reached. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { reachedHere } from './reached-here.ts';

afterAll(() => {
  const { testPath = '' } = expect.getState();
  const record = { testPath, reached: reachedHere() };
  const file = join(process.env['MILLRACE_REACH'] ?? '.', `${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(record));
});
