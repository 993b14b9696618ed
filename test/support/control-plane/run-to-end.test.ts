import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runToEnd } from './run-to-end.ts';

it('answers with what a program printed and how it ended', async () => {
  const answer = await runToEnd('sh', ['-c', 'cat; echo said >&2; exit 3'], { input: 'given' });
  expect(answer).toEqual({ stdout: 'given', stderr: 'said\n', code: 3 });
});

it('ends a program that is cut off and tells what it had printed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-run-'));
  try {
    const mark = join(folder, 'mark');
    const cut = new AbortController();
    // Like vi at the end of its input: cat reads from standard error, which never gets input.
    const script = 'echo half; : > "$0"; cat <&2; exit';
    const running = runToEnd('sh', ['-c', script, mark], { signal: cut.signal });
    const refused = expect(running).rejects.toThrow(/cut off: sh -c .*it had printed "half\\n"$/);
    await expect.poll(() => access(mark)).toBeUndefined();
    await setImmediate();
    cut.abort();
    await refused;
  } finally {
    await rm(folder, { recursive: true });
  }
});
