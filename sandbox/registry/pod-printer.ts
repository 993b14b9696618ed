/** Rows of Pods (printPod). */
import type { KubeObject } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import { humanDuration } from './human-duration.ts';
import { columns, createdAgo, none, type Printer } from './printer.ts';

interface State {
  readonly waiting?: { readonly reason?: string };
  readonly running?: object;
  readonly terminated?: {
    readonly reason?: string;
    readonly exitCode?: number;
    readonly signal?: number;
    readonly finishedAt?: string;
  };
}

interface ContainerStatus {
  readonly name?: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: State;
  readonly lastState?: State;
}

interface PodView {
  readonly spec?: {
    readonly containers?: readonly object[];
    readonly initContainers?: readonly object[];
    readonly nodeName?: string;
    readonly readinessGates?: readonly { readonly conditionType: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly podIP?: string;
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly { type: string; status: string; reason?: string }[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export const podPrinter: Printer = {
  columns: columns(
    'Name',
    'Ready',
    'Status',
    'Restarts',
    'Age',
    '=IP',
    '=Node',
    '=Nominated Node',
    '=Readiness Gates',
  ),
  row: (object, nowMs) => {
    const { spec = {}, status = {} } = object as unknown as PodView;
    const { containerStatuses = [] } = status;
    const ready = containerStatuses.filter((one) => one.ready === true && one.state?.running);
    return [
      object.metadata.name,
      `${ready.length}/${spec.containers?.length ?? 0}`,
      statusText(object),
      restartText(containerStatuses, nowMs),
      createdAgo(object, nowMs),
      status.podIP ?? none,
      spec.nodeName ?? none,
      status.nominatedNodeName ?? none,
      gateText({ spec, status }),
    ];
  },
};

function statusText(object: KubeObject): string {
  const { spec = {}, status = {} } = object as unknown as PodView;
  const { conditions = [], phase = '', containerStatuses = [] } = status;
  let reason = status.reason ?? phase;
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.reason === 'SchedulingGated') reason = 'SchedulingGated';
  const initializing = initText(spec.initContainers?.length ?? 0, status.initContainerStatuses);
  if (initializing !== undefined) reason = initializing;
  else {
    let isAnyRunning = false;
    for (const container of containerStatuses.toReversed()) {
      const own = containerText(container);
      if (own !== undefined) reason = own;
      else if (container.ready === true && container.state?.running) isAnyRunning = true;
    }
    const isReady = conditions.some(
      ({ type, status: value }) => type === 'Ready' && value === 'True',
    );
    if (reason === 'Completed' && isAnyRunning) reason = isReady ? 'Running' : 'NotReady';
  }
  if (object.metadata.deletionTimestamp === undefined) return reason;
  if (status.reason === 'NodeLost') return 'Unknown';
  return phase === 'Failed' || phase === 'Succeeded' ? reason : 'Terminating';
}

function containerText({ state }: ContainerStatus): string | undefined {
  const waiting = state?.waiting?.reason;
  if (waiting !== undefined && waiting !== '') return waiting;
  const ended = state?.terminated;
  if (ended === undefined) return undefined;
  if (ended.reason !== undefined && ended.reason !== '') return ended.reason;
  return endText(ended);
}

function endText({ signal = 0, exitCode = 0 }: NonNullable<State['terminated']>): string {
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

/** Undefined: all init containers are done. */
function initText(count: number, statuses: readonly ContainerStatus[] = []): string | undefined {
  for (const [place, { state }] of statuses.entries()) {
    const ended = state?.terminated;
    if (ended?.exitCode === 0) continue;
    if (ended !== undefined) return `Init:${ended.reason ?? endText(ended)}`;
    const waiting = state?.waiting?.reason;
    if (waiting !== undefined && waiting !== '' && waiting !== 'PodInitializing')
      return `Init:${waiting}`;
    return `Init:${place}/${count}`;
  }
  return undefined;
}

function restartText(statuses: readonly ContainerStatus[], nowMs: number): string {
  const restarts = statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  const ends = statuses.flatMap(
    ({ lastState }) => parseTime(lastState?.terminated?.finishedAt) ?? [],
  );
  if (restarts === 0 || ends.length === 0) return String(restarts);
  return `${restarts} (${humanDuration(nowMs - Math.max(...ends))} ago)`;
}

function gateText({ spec = {}, status = {} }: PodView): string {
  const { readinessGates = [] } = spec;
  if (readinessGates.length === 0) return none;
  const open = readinessGates.filter(({ conditionType }) =>
    status.conditions?.some(
      ({ type, status: value }) => type === conditionType && value === 'True',
    ),
  );
  return `${open.length}/${readinessGates.length}`;
}
