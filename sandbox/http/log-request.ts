/** GET of a Pod's log: k8s.io/kubernetes pkg/registry/core/pod/strategy.go LogLocation. */
import type { KubeObject } from '#shared/domain/objects.ts';
import { rfc3339Nano } from './log-time.ts';
import type { ContainerLog, LogLine, PodLogs } from '../api/pod-logs.ts';
import { badRequest, invalid, StatusError } from '../apimachinery/status-error.ts';
import { integerFrom, isSet } from './query-options.ts';

export interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Milliseconds since the epoch. */
  readonly sinceMs?: number;
}

/** Throws StatusError 400, 422. */
export function logOptions(name: string, query: URLSearchParams, nowMs: number): LogOptions {
  const tailLines = atLeast(name, query, 'tailLines', 0);
  const limitBytes = atLeast(name, query, 'limitBytes', 1);
  const sinceSeconds = atLeast(name, query, 'sinceSeconds', 1);
  const sinceTime = query.get('sinceTime') ?? '';
  const sinceMs = sinceSeconds === undefined ? parsedTime(sinceTime) : nowMs - sinceSeconds * 1000;
  if (isSet(query, 'stream') && query.get('stream') !== 'All' && query.get('stream') !== '') {
    throw new StatusError(
      501,
      'NotImplemented',
      'the sandbox keeps one stream of log per container',
    );
  }
  return {
    container: query.get('container') ?? '',
    follow: isSet(query, 'follow'),
    previous: isSet(query, 'previous'),
    timestamps: isSet(query, 'timestamps'),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
  };
}

function parsedTime(text: string): number | undefined {
  if (text === '') return undefined;
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return ms;
  throw badRequest(`sinceTime ${JSON.stringify(text)} is no RFC 3339 time`);
}

function atLeast(
  pod: string,
  query: URLSearchParams,
  field: string,
  minimum: 0 | 1,
): number | undefined {
  const value = integerFrom(query, field);
  if (value === undefined || value >= minimum) return value;
  const limit = minimum === 0 ? 'greater than or equal to 0' : 'greater than 0';
  const message = `Invalid value: ${value}: must be ${limit}`;
  const type = { group: '', plural: 'PodLogOptions', kind: 'PodLogOptions' };
  throw invalid(type, pod, [{ reason: 'FieldValueInvalid', message, field }]);
}

interface PodParts {
  readonly spec?: Readonly<Record<string, readonly { readonly name: string }[] | undefined>>;
  readonly status?: {
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly state?: { readonly waiting?: { readonly reason?: string } };
}

/** The requested container. Throws StatusError 400 when the request does not determine it. */
export function containerOf(pod: KubeObject, wanted: string): string {
  const { spec = {} } = pod as PodParts;
  const containers = (spec['containers'] ?? []).map(({ name }) => name);
  const init = (spec['initContainers'] ?? []).map(({ name }) => name);
  const { name } = pod.metadata;
  if (wanted !== '') {
    if (containers.includes(wanted) || init.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  const [only] = containers;
  if (containers.length === 1 && only !== undefined && init.length === 0) return only;
  const choices = `choose one of: [${containers.join(' ')}]`;
  const initChoices =
    init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${name}, ${choices}${initChoices}`);
}

/** Throws StatusError 400 in the kubelet's words when the log does not exist. */
export function logOf(
  logs: PodLogs,
  pod: KubeObject,
  container: string,
  previous: boolean,
): ContainerLog {
  const log = logs.logsOf(pod, container, previous);
  if (log !== undefined) return log;
  const { name } = pod.metadata;
  if (previous) {
    throw badRequest(
      `previous terminated container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} not found`,
    );
  }
  const { containerStatuses = [], initContainerStatuses = [] } = (pod as PodParts).status ?? {};
  const known = [...containerStatuses, ...initContainerStatuses];
  const status = known.find((candidate) => candidate.name === container);
  const reason = status?.state?.waiting?.reason ?? 'ContainerCreating';
  throw badRequest(
    `container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} is waiting to start: ${reason}`,
  );
}

/** Lines within `sinceMs` and `tailLines`, as text. */
export function logText(lines: readonly LogLine[], options: LogOptions): string {
  const { sinceMs = -Infinity, tailLines = lines.length } = options;
  const recent = lines.filter(({ atMs }) => atMs >= sinceMs);
  const last = tailLines === 0 ? [] : recent.slice(-tailLines);
  return last.map((line) => lineText(line, options)).join('');
}

export function lineText({ atMs, text }: LogLine, { timestamps }: LogOptions): string {
  return timestamps ? `${rfc3339Nano(atMs)} ${text}\n` : `${text}\n`;
}
