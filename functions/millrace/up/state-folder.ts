/** Where an `up` writes its addresses, so that a `demo` finds it. Each `up` has its own folder. */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isProcessAlive } from '../process-alive.ts';

export interface UpState {
  readonly pid: number;
  /** Address of the Kubernetes API. */
  readonly server: string;
  /** Path of its kubeconfig. */
  readonly kubeconfig: string;
  /** Address of health, metrics and recorded events. */
  readonly control: string;
}

const stateFile = 'up.json';

/** `$XDG_STATE_HOME/millrace`, else `~/.local/state/millrace` (XDG Base Directory). */
export function stateRoot(env: Readonly<Record<string, string | undefined>>): string {
  const home = env['XDG_STATE_HOME'];
  // XDG Base Directory: a relative path is ignored.
  return join(home?.startsWith('/') === true ? home : join(homedir(), '.local/state'), 'millrace');
}

/** One folder per port: two processes never share one, and a restart finds its own again. */
export function upFolder(root: string, port: number): string {
  return join(root, `up-${port}`);
}

/** Creates the folder for this user alone, because it holds the token of the sandbox. */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // A folder that a killed process left may have another mode.
  await chmod(folder, 0o700);
}

export async function writeState(folder: string, state: UpState): Promise<void> {
  await ownFolder(folder);
  await writeFile(join(folder, stateFile), `${JSON.stringify(state, undefined, 2)}\n`);
}

export async function removeState(folder: string): Promise<void> {
  // Processes that were started there may still write while they end.
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** Removes the folders `run-PID` of processes that were killed. */
export async function removeStaleRuns(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  const stale = names.filter((name) => {
    const [, pid] = /^run-(\d+)$/.exec(name) ?? [];
    return pid !== undefined && !isProcessAlive(Number(pid));
  });
  await Promise.all(stale.map((name) => removeState(join(root, name))));
}

/** Every `up` with a living process, the highest port last. Folders of killed ones are skipped. */
export async function runningUps(root: string): Promise<readonly UpState[]> {
  const names = (await readdir(root).catch(() => [])).filter((name) => name.startsWith('up-'));
  const found = await Promise.all(names.sort().map((name) => readState(join(root, name))));
  return found.filter((state) => state !== undefined && isProcessAlive(state.pid)) as UpState[];
}

async function readState(folder: string): Promise<UpState | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, stateFile), 'utf8')) as UpState;
  } catch (error) {
    // Being written, or left by a killed process: there is no `up` to reach.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
