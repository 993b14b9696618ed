import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** One process builds; the others wait and then find the binaries in the folder. */
export async function withBuildLock(
  folder: string,
  progress: (line: string) => void,
  build: () => Promise<void>,
): Promise<void> {
  const lock = join(folder, '.building');
  await mkdir(folder, { recursive: true });
  let announced = false;
  while (!(await takeLock(lock))) {
    if (!announced) progress('control plane: another process is building it, waiting');
    announced = true;
    await sleep(2_000);
  }
  try {
    await build();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Removes the lock of a dead process, so that the next attempt gets it. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (await isAbandoned(lock)) await rm(lock, { force: true });
    return false;
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    const holder = Number(await readFile(lock, 'utf8'));
    if (holder > 0) return !isRunning(holder);
    // Created without a pid so far: give its holder a moment.
    return Date.now() - (await stat(lock)).mtimeMs > 10_000;
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
