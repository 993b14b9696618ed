/** Where an `up` writes down how it is reached, so that a `demo` finds it. One folder for each. */
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
  // The specification: a path that is not absolute is ignored.
  return join(home?.startsWith('/') === true ? home : join(homedir(), '.local/state'), 'millrace');
}

/** One folder per port: two of them never share one, and a restart finds its own again. */
export function upFolder(root: string, port: number): string {
  return join(root, `up-${port}`);
}

/** Makes it, for this user alone: the token of the sandbox is kept there. */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // One that a killed process has left keeps its mode.
  await chmod(folder, 0o700);
}

export async function writeState(folder: string, state: UpState): Promise<void> {
  await ownFolder(folder);
  await writeFile(join(folder, stateFile), `${JSON.stringify(state, undefined, 2)}\n`);
}

export async function removeState(folder: string): Promise<void> {
  // What was started there may still write for a moment while it ends.
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

/** Every `up` whose process lives, the latest port last. Folders of killed ones are passed over. */
export async function runningUps(root: string): Promise<readonly UpState[]> {
  const names = (await readdir(root).catch(() => [])).filter((name) => name.startsWith('up-'));
  const found = await Promise.all(names.sort().map((name) => readState(join(root, name))));
  return found.filter((state) => state !== undefined && isProcessAlive(state.pid)) as UpState[];
}

async function readState(folder: string): Promise<UpState | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, stateFile), 'utf8')) as UpState;
  } catch (error) {
    // Written just now, or left by a killed process: either way nobody to talk to.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
