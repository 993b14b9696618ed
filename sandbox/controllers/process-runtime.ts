/**
 * Containers as processes of this machine (`millrace up --run-commands`). Each run is one process
 * with its own process group. What it is not:
 *  - no image: `command` and `args` run with the programs of this machine, so a command is required;
 *  - no isolation: user, network, ports, memory and the file system are this machine's;
 *  - mount paths are not there as such: they are links below the working folder, and wherever they
 *    stand in command, args and values of variables they are replaced by the folder of the volume
 *    (also in the variables MILLRACE_VOLUME_<NAME>);
 *  - claims are folders that stay; probes, lifecycle hooks and resource limits have no effect.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Clock } from '#shared/domain/clock.ts';
import type { LogLine } from '../api/pod-logs.ts';
import type { ControllerApi } from './controller.ts';
import type { Pod } from './objects/pod.ts';
import {
  type ContainerRun,
  type ContainerRuntime,
  type RunState,
  runId,
  type StartFailure,
} from './pod/container-runtime.ts';
import { argvOf } from './pod/environment.ts';
import { ConfigurationMissing, containerEnvironment } from './process/config-values.ts';
import { ProcessOutput } from './process/process-output.ts';
import { type ContainerFolders, PodFolders, withFolders } from './process/pod-folders.ts';

export interface ProcessRuntimeOptions {
  readonly api: ControllerApi;
  readonly clock: Clock;
  /** Everything is written below this folder. */
  readonly folder: string;
  /** Variables that every process inherits, such as PATH. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Running {
  readonly child: ChildProcess;
  readonly output: ProcessOutput;
  end?: { readonly exitCode: number; readonly finishedMs: number };
  /** Set once it was asked to stop: the end of its grace. */
  killAtMs?: number;
}

// Results for a container whose process could not be started, and for one whose process was lost.
const startFailedCode = 128;
const lostCode = 137;

export class ProcessRuntime implements ContainerRuntime {
  readonly #api: ControllerApi;
  readonly #clock: Clock;
  readonly #folders: PodFolders;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #runs = new Map<string, Running>();
  #onEnd: (pod: Pod) => void = () => undefined;

  constructor({ api, clock, folder, environment }: ProcessRuntimeOptions) {
    this.#api = api;
    this.#clock = clock;
    this.#folders = new PodFolders(folder, api);
    this.#environment = environment;
  }

  start(run: ContainerRun): StartFailure | undefined {
    if ((run.container.command ?? run.container.args ?? []).length === 0) {
      const image = run.container.image ?? '';
      const message = `the sandbox does not know what the image ${image} would run: give the container a command`;
      return { reason: 'CreateContainerError', message };
    }
    try {
      this.#spawn(run, this.#folders.prepare(run.pod, run.container));
    } catch (error) {
      if (!(error instanceof ConfigurationMissing)) throw error;
      return { reason: 'CreateContainerConfigError', message: error.message };
    }
    return undefined;
  }

  look(run: ContainerRun, _startedMs: number, nowMs: number): RunState {
    const running = this.#runs.get(runId(run));
    if (running === undefined) return { kind: 'ended', exitCode: lostCode, finishedMs: nowMs };
    const { end, killAtMs = 0 } = running;
    if (end !== undefined) return { kind: 'ended', ...end };
    return { kind: 'running', ...(killAtMs > nowMs ? { lookAgainMs: killAtMs } : {}) };
  }

  stop(run: ContainerRun, graceMs: number, nowMs: number): void {
    const running = this.#runs.get(runId(run));
    if (running === undefined) return;
    running.killAtMs = Math.min(running.killAtMs ?? Infinity, nowMs + graceMs);
    kill(running, nowMs < running.killAtMs ? 'SIGTERM' : 'SIGKILL');
  }

  logs(run: ContainerRun): readonly LogLine[] | undefined {
    return this.#runs.get(runId(run))?.output.lines;
  }

  forget(podUid: string): void {
    for (const [id, running] of this.#runs) {
      if (!id.startsWith(`${podUid}/`)) continue;
      kill(running, 'SIGKILL');
      this.#runs.delete(id);
    }
    this.#folders.remove(podUid);
  }

  onEnd(listener: (pod: Pod) => void): void {
    this.#onEnd = listener;
  }

  /** Kills all processes at once, at the end of the sandbox. */
  close(): void {
    for (const running of this.#runs.values()) kill(running, 'SIGKILL');
  }

  #spawn(run: ContainerRun, folders: ContainerFolders): void {
    const { pod, container } = run;
    const basis = this.#basis(run, folders);
    const environment = new Map<string, string>();
    for (const [name, value] of containerEnvironment(this.#api, pod, container, basis)) {
      environment.set(name, basis.get(name) === value ? value : withFolders(value, folders.mounts));
    }
    const { command = [], args = [] } = container;
    const words = [...command, ...args].map((word) => withFolders(word, folders.mounts));
    const [program = '', ...rest] = argvOf({ ...container, command: words, args: [] }, environment);
    const child = spawn(program, rest, {
      cwd: folders.workingFolder,
      env: Object.fromEntries(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const running: Running = { child, output: new ProcessOutput(this.#clock) };
    this.#runs.set(runId(run), running);
    this.#watch(running, run.pod);
  }

  #watch(running: Running, pod: Pod): void {
    const { child, output } = running;
    child.stdout?.on('data', (bytes: Buffer) => output.add('stdout', bytes));
    child.stderr?.on('data', (bytes: Buffer) => output.add('stderr', bytes));
    child.on('error', ({ message }) => output.add('stderr', Buffer.from(`${message}\n`)));
    // As in a container, nothing outlives the first process. Its output ends then too.
    child.on('exit', () => kill(running, 'SIGKILL'));
    child.on('close', (code, signal) => {
      output.end();
      const exitCode = child.pid === undefined ? startFailedCode : (code ?? signalCode(signal));
      running.end = { exitCode, finishedMs: this.#clock.now() };
      this.#onEnd(pod);
    });
  }

  #basis({ pod }: ContainerRun, { root, mounts }: ContainerFolders): ReadonlyMap<string, string> {
    const volumes = mounts.map(({ folder, mountPath }) => {
      const name = mountPath.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();
      return [`MILLRACE_VOLUME${name}`, folder] as const;
    });
    return new Map([
      ...Object.entries(this.#environment),
      ['HOME', root],
      ['HOSTNAME', pod.spec.hostname ?? pod.metadata.name],
      ...volumes,
    ]);
  }
}

function signalCode(signal: NodeJS.Signals | null): number {
  return signal === null ? lostCode : 128 + constants.signals[signal];
}

/** Kills the whole group, because a shell leaves its children behind. */
function kill({ child, end }: Running, signal: NodeJS.Signals): void {
  if (end !== undefined || child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
