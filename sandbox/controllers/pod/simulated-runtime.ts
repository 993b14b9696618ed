/**
 * Containers that only seem to run. How long and to which end say, in this order,
 *  - `sandbox.millrace.dev/run-seconds` and `sandbox.millrace.dev/exit-code`, annotations of the
 *    Pod that hold for each of its containers (init containers excepted),
 *  - a plain `sleep N`, `exit N` or `false` in the command (container-script.ts),
 *  - else one second and exit code 0. A container that is restarted always runs until it is stopped.
 * `sandbox.millrace.dev/image-error: "true"` keeps the containers from starting (ErrImagePull), and
 * `sandbox.millrace.dev/stop-seconds` is how long they take to stop, none when absent.
 */
import type { LogLine } from '../../api/pod-logs.ts';
import { isSidecar, type Pod } from '../objects/pod.ts';
import {
  type ContainerRun,
  type ContainerRuntime,
  type RunState,
  runId,
  type StartFailure,
} from './container-runtime.ts';
import { readScript, type Script } from './container-script.ts';
import { argvOf, environmentOf } from './environment.ts';

const prefix = 'sandbox.millrace.dev/';
const defaultRunMs = 1_000;
// SIGKILL: the end of a container that ignores SIGTERM.
const killedCode = 137;

interface Plan {
  readonly runMs: number;
  readonly exitCode: number;
  readonly output: Script['output'];
}

interface Begun {
  readonly startedMs: number;
  readonly plan: Plan;
  endsMs?: number;
}

export class SimulatedRuntime implements ContainerRuntime {
  /** By run. For runs of an earlier process, only the status is known. */
  readonly #begun = new Map<string, Begun>();
  readonly #runsByPod = new Map<string, string[]>();

  start(run: ContainerRun, nowMs: number): StartFailure | undefined {
    if (annotation(run.pod, 'image-error') === 'true') {
      const image = run.container.image ?? '';
      const message = `failed to pull image "${image}": the annotation ${prefix}image-error says so`;
      return { reason: 'ErrImagePull', message };
    }
    this.#begin(run, nowMs);
    return undefined;
  }

  look(run: ContainerRun, startedMs: number, nowMs: number): RunState {
    const {
      plan,
      endsMs,
      startedMs: begunMs,
    } = this.#begun.get(runId(run)) ?? this.#begin(run, startedMs);
    const finishedMs = begunMs + plan.runMs;
    if (endsMs !== undefined && endsMs < finishedMs) {
      if (nowMs < endsMs) return { kind: 'running', lookAgainMs: endsMs };
      return { kind: 'ended', exitCode: killedCode, finishedMs: endsMs };
    }
    if (nowMs >= finishedMs) return { kind: 'ended', exitCode: plan.exitCode, finishedMs };
    return { kind: 'running', lookAgainMs: finishedMs };
  }

  stop(run: ContainerRun, graceMs: number, nowMs: number): void {
    const begun = this.#begun.get(runId(run)) ?? this.#begin(run, nowMs);
    const stopMs = Math.min(graceMs, seconds(run.pod, 'stop-seconds') ?? 0);
    begun.endsMs = Math.min(begun.endsMs ?? Infinity, nowMs + stopMs);
  }

  logs(run: ContainerRun, startedMs: number, nowMs: number): readonly LogLine[] {
    const begun: Begun = this.#begun.get(runId(run)) ?? { startedMs, plan: planOf(run) };
    const { output } = begun.plan;
    const lastMs = Math.min(nowMs, begun.endsMs ?? nowMs) - begun.startedMs;
    if (output.length > 0) return linesOf(output, begun.startedMs, lastMs);
    const { image = '', command = [], args = [] } = run.container;
    const argv = JSON.stringify([...command, ...args]);
    const text = `simulated by the millrace sandbox, not run: ${image} ${argv}`;
    return [{ atMs: begun.startedMs, text }];
  }

  forget(podUid: string): void {
    for (const id of this.#runsByPod.get(podUid) ?? []) this.#begun.delete(id);
    this.#runsByPod.delete(podUid);
  }

  onEnd(): void {
    // Every end is known in advance.
  }

  #begin(run: ContainerRun, startedMs: number): Begun {
    const begun = { startedMs, plan: planOf(run) };
    const { uid } = run.pod.metadata;
    this.#begun.set(runId(run), begun);
    this.#runsByPod.set(uid, [...(this.#runsByPod.get(uid) ?? []), runId(run)]);
    return begun;
  }
}

function planOf({ pod, container, isInit }: ContainerRun): Plan {
  const environment = environmentOf(pod, container);
  const script = readScript(argvOf(container, environment), environment);
  const isRestarted = isInit
    ? isSidecar(container)
    : (pod.spec.restartPolicy ?? 'Always') === 'Always';
  const toldMs = isInit ? undefined : seconds(pod, 'run-seconds');
  const toldCode = isInit ? undefined : annotation(pod, 'exit-code');
  return {
    runMs: toldMs ?? script?.runMs ?? (isRestarted ? Infinity : defaultRunMs),
    exitCode: toldCode === undefined ? (script?.exitCode ?? 0) : Number(toldCode) & 255,
    output: script?.output ?? [],
  };
}

/** Text becomes a line when its end arrives, or at the end of the output. */
function linesOf(output: Script['output'], startedMs: number, lastMs: number): readonly LogLine[] {
  const lines: LogLine[] = [];
  let open = '';
  for (const { atMs, text } of output) {
    if (atMs > lastMs) break;
    const parts = (open + text).split('\n');
    open = parts.pop() ?? '';
    lines.push(...parts.map((part) => ({ atMs: startedMs + atMs, text: part })));
  }
  return open === '' ? lines : [...lines, { atMs: startedMs + lastMs, text: open }];
}

function annotation({ metadata }: Pod, name: string): string | undefined {
  return metadata.annotations?.[prefix + name];
}

/** Milliseconds. Undefined when absent or not a number. */
function seconds(pod: Pod, name: string): number | undefined {
  const value = Number.parseFloat(annotation(pod, name) ?? '');
  return Number.isNaN(value) || value < 0 ? undefined : Math.round(value * 1000);
}
