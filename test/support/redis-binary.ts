import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { PartUnavailable } from './part-unavailable.ts';

const run = promisify(execFile);

/** `redis-server` is missing; the message says how to get it. */
export class RedisUnavailable extends PartUnavailable {
  override readonly name = 'RedisUnavailable';
}

/**
 * The path of `redis-server`: from PATH, or installed from the distribution on Debian as root.
 * Throws {@link RedisUnavailable} otherwise.
 */
export async function obtainRedisServer(progress: (line: string) => void): Promise<string> {
  const present = await onPath('redis-server');
  if (present !== undefined) return present;
  if (process.getuid?.() === 0 && (await onPath('apt-get')) !== undefined) {
    await installFromDistribution(progress);
    const installed = await onPath('redis-server');
    if (installed !== undefined) return installed;
  }
  throw new RedisUnavailable(
    'no redis-server found. Install it (Debian: apt-get install redis-server; macOS: ' +
      'brew install redis) so that it is on PATH.',
  );
}

async function installFromDistribution(progress: (line: string) => void): Promise<void> {
  progress('redis: installing redis-server with apt-get');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const install = () =>
    run('apt-get', ['install', '-y', '--no-install-recommends', 'redis-server'], { env });
  try {
    await install().catch(async () => {
      await run('apt-get', ['update'], { env });
      await install();
    });
  } catch (cause) {
    throw new RedisUnavailable('apt-get could not install redis-server; put one on PATH.', {
      cause,
    });
  }
  progress('redis: installed');
}

async function onPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    const executable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return path;
  }
  return undefined;
}
