import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { describeWithRedis } from '#test/support/require.ts';

/** Starts a Redis, prints its pid and folder, and waits to be killed. */
const owner = `
  import { startRedis } from ${JSON.stringify(join(import.meta.dirname, '../support/redis.ts'))};
  const redis = await startRedis();
  process.stdout.write(redis.pid + ' ' + redis.folder + '\\n');
  setInterval(() => {}, 1_000);
`;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describeWithRedis('children of a test process', () => {
  let parent: ChildProcess | undefined;
  afterEach(() => parent?.kill('SIGKILL'));

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('end when it ends by %s', async (signal) => {
    parent = spawn(process.execPath, ['--input-type=module-typescript', '--eval', owner], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = (await once(parent.stdout!, 'data')) as [Buffer];
    const [pid = '', folder = ''] = output.toString('utf8').trim().split(' ');
    expect(isRunning(Number(pid))).toBe(true);
    expect(existsSync(folder)).toBe(true);
    parent.kill(signal);
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
    await expect.poll(() => existsSync(folder)).toBe(false);
  });
});
