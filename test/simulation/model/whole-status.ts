/**
 * The record of each step in a status. With more than 200 steps, most have only their positions, as
 * ranges, under state, attempt and reason. A step that is not recorded waits.
 */
import type { JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import type { Predicted } from './look.ts';

const mostWithEntries = 200;

export function isLong({ spec }: Pick<JobFlow, 'spec'>): boolean {
  return spec.flows.length > mostWithEntries;
}

const known = new WeakMap<JobFlow, JobFlow>();
const inFew = new WeakSet<Predicted>();

/** The flow with an entry for each step in its status; the same flow if it has them. */
export function whole(flow: JobFlow): JobFlow {
  if (!isLong(flow) || flow.status?.jobStatusList === undefined) return flow;
  const found = known.get(flow) ?? { ...flow, status: { ...flow.status, ...entries(flow) } };
  known.set(flow, found);
  stored.set(found, flow.status);
  return found;
}

const stored = new WeakMap<JobFlow, JobFlow['status']>();

/** The stored form of a flow that {@link whole} returned. */
export function storedStatus(flow: JobFlow): NonNullable<JobFlow['status']> {
  return stored.get(flow) ?? flow.status ?? {};
}

/** Only its state, attempt and reason are recorded. */
export function isShownInFew(entry: Predicted | undefined): boolean {
  return entry !== undefined && inFew.has(entry);
}

/** Whether two entries of a step are equal, except for what only some entries have. */
export function isSameInFew(left: Predicted, right: Predicted): boolean {
  const essence = ({ state, attempt = 0, reason, nextRetryTime }: Predicted): string =>
    [state, attempt, reason, nextRetryTime].join(' ');
  const waits = ({ state, attempt = 0, reason }: Predicted): boolean =>
    state === 'Waiting' &&
    attempt === 0 &&
    ['DependenciesPending', 'FlowSuspended', undefined].includes(reason);
  return essence(left) === essence(right) || (waits(left) && waits(right));
}

function entries({ metadata, spec, status }: JobFlow) {
  const { jobStatusList = [], stepStates = {} } = status ?? {};
  const predicted = new Map(jobStatusList.map((entry) => [entry.name, entry]));
  const stateAt: string[] = [];
  for (const [state, ranges] of Object.entries(stepStates)) {
    for (const range of ranges.split(',')) {
      const [first = NaN, last = first] = range.split('-').map(Number);
      for (let position = first; position <= last; position += 1) stateAt[position] = state;
    }
  }
  const sorted = spec.flows.map(({ name }) => name).sort();
  const positions = new Map(sorted.map((name, position) => [name, position]));
  const all = spec.flows.map(({ name }): StepRecord => {
    const entry = predicted.get(name);
    if (entry?.message !== undefined) return entry;
    const brief =
      entry ?? briefly(metadata.name, name, stateAt[positions.get(name) ?? NaN] ?? 'Waiting');
    if (entry?.jobName === undefined) inFew.add(brief);
    return brief;
  });
  return { jobStatusList: all };
}

function briefly(flow: string, name: string, text: string): StepRecord {
  const [state, attempt = '0', reason] = text.split('/') as [StepRecord['state'], string?, string?];
  const suffix = attempt === '0' ? '' : `-r${attempt}`;
  const hasJob = ['Pending', 'Running', 'Suspended'].includes(state);
  return {
    name,
    state,
    ...(attempt === '0' ? {} : { attempt: Number(attempt) }),
    ...(reason === undefined ? {} : { reason }),
    ...(hasJob ? { jobName: `${flow}-${name}${suffix}` } : {}),
  };
}
