/** The failure of a Pod: its exit code, or what ended it. */
import { type ContainerReport, podReport, type TerminatedContainer } from './pod-status.ts';

export interface PodFailure {
  readonly message: string;
  /** Where to see more: the container's output, or the cluster's report on the Pod. */
  readonly shownBy: 'logs' | 'describe';
  /** For `kubectl logs -c`. Absent: kubectl picks the container by itself. */
  readonly container?: string;
  /** RFC 3339. Absent: the status does not say. */
  readonly at?: string;
}

/** Undefined: it has not failed, or its status does not say how. */
export function podFailure({
  metadata,
  status,
}: {
  readonly metadata?: { readonly deletionTimestamp?: string };
  readonly status?: unknown;
}): PodFailure | undefined {
  const report = podReport(status);
  if (report.phase !== 'Failed') return undefined;
  const { reason, message, disrupted, containers } = report;
  const ended = containers.find(({ terminated }) => terminated !== undefined);
  const time = ended?.terminated?.finishedAt;
  const at = time === undefined ? {} : { at: time };
  if (disrupted !== undefined) {
    const why = disrupted.message ?? message;
    return { ...ofPod('was disrupted', disrupted.reason, why), ...at };
  }
  if (reason !== undefined) return { ...ofPod('failed', reason, message), ...at };
  const isDeleted = metadata?.deletionTimestamp !== undefined;
  if (ended === undefined) {
    return isDeleted ? { message: 'its Pod was deleted', shownBy: 'describe' } : undefined;
  }
  const failure = { ...ofContainer(ended), ...at };
  return isDeleted ? { ...failure, message: `its Pod was deleted; ${failure.message}` } : failure;
}

function ofPod(what: string, reason: string, message: string | undefined): PodFailure {
  const detail = message === undefined || message === '' ? '' : `: ${message}`;
  return { message: `its Pod ${what} (${reason})${detail}`, shownBy: 'describe' };
}

function ofContainer({ name, isAside, terminated }: ContainerReport): PodFailure {
  const aside = isAside === true ? { container: name } : {};
  const { exitCode = 0, reason } = terminated ?? {};
  switch (reason) {
    case 'OOMKilled':
      return {
        message: `container ${name} exceeded its memory limit (OOMKilled, exit code ${exitCode})`,
        shownBy: 'describe',
      };
    case 'StartError':
    case 'ContainerCannotRun': {
      const message = `container ${name} could not be started (${reason}, exit code ${exitCode})`;
      return { message: withDetail(message, terminated?.message), shownBy: 'describe' };
    }
    default:
      return {
        message: `container ${name} exited ${exitCode}${signalOf(terminated)}`,
        shownBy: 'logs',
        ...aside,
      };
  }
}

function withDetail(message: string, detail: string | undefined): string {
  return detail === undefined ? message : `${message}: ${detail}`;
}

const signalNames: Readonly<Record<number, string>> = {
  2: 'SIGINT',
  6: 'SIGABRT',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
};

/** A process that was ended by a signal exits with 128 plus its number. */
function signalOf(terminated: TerminatedContainer | undefined): string {
  const { exitCode = 0, signal } = terminated ?? {};
  const number = signal ?? exitCode - 128;
  const name = signalNames[number] ?? (signal === undefined ? undefined : `signal ${signal}`);
  return name === undefined ? '' : ` (${name})`;
}
