/** Runs a program of Node and everything that it starts, for so long at most. */
import { spawn } from 'node:child_process';

export interface RunOptions {
  readonly cwd: string;
  /** Then all of it is killed: something goes round in circles. Milliseconds. */
  readonly limitMs: number;
  /** Nor may it be silent for longer. Milliseconds; unbounded when absent. */
  readonly silentMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly outOfTime: boolean;
}

const underway = new Set<number>();
process.on('exit', () => {
  for (const pid of underway) killGroup(pid);
});

/** `args`: the script and what it is given. */
export function run(args: readonly string[], options: RunOptions): Promise<Ended> {
  const { cwd, limitMs, silentMs, env = {} } = options;
  return new Promise((resolve, reject) => {
    // A group of its own: a worker that spins outlives the process that started it.
    const child = spawn(process.execPath, args, {
      ...{ cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
      env: { ...process.env, ...env },
    });
    const { pid } = child;
    let output = '';
    let outOfTime = false;
    const giveUp = (): void => {
      outOfTime = true;
      if (pid !== undefined) killGroup(pid);
    };
    const timer = setTimeout(giveUp, limitMs);
    const silence = silentMs === undefined ? undefined : setTimeout(giveUp, silentMs);
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
      silence?.refresh();
    };
    if (pid !== undefined) underway.add(pid);
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      clearTimeout(silence);
      if (pid !== undefined) underway.delete(pid);
      resolve({ code, output, outOfTime });
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
