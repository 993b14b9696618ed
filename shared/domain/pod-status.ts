/**
 * The parts of a Pod's status that say why it does not run or how it failed; for a healthy Pod only its
 * phase. The Pod may be stored or already reduced: reducing twice equals reducing once.
 */
import { fieldsOf, listOf } from './json-value.ts';
import { ownMember } from './own-member.ts';

export interface ContainerReport {
  readonly name: string;
  readonly image?: string;
  /** The kubelet creates this one first. */
  readonly isFirst?: true;
  /** It is not the Pod's first container, so `kubectl logs` needs its name. */
  readonly isAside?: true;
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly terminated?: TerminatedContainer;
}

export interface TerminatedContainer {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly finishedAt?: string;
}

export interface PodConditionReport {
  readonly reason: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface LingeringContainers {
  readonly ended: readonly string[];
  readonly running: readonly string[];
  /** When the last of the ended containers ended. */
  readonly since: string;
}

export interface PodReport {
  readonly phase?: string;
  /** Why the kubelet or a controller failed the Pod as a whole: Evicted, OutOfcpu, DeadlineExceeded. */
  readonly reason?: string;
  readonly message?: string;
  /** When a kubelet accepted it. */
  readonly startTime?: string;
  /** PodScheduled is False. */
  readonly unscheduled?: PodConditionReport;
  /** DisruptionTarget is True. */
  readonly disrupted?: PodConditionReport;
  /** Some containers have succeeded and others continue. */
  readonly lingering?: LingeringContainers;
  /** Containers that wait or ended with a code other than 0, init containers first. */
  readonly containers: readonly ContainerReport[];
}

/** Longest text that is kept from a condition or a container, in characters. */
const maxTextLength = 512;

/** Never throws. Parts without the shape of a Pod's status are left out. */
export function podReport(status: unknown): PodReport {
  const fields = fieldsOf(status);
  const unscheduled = conditionOf(fields, 'PodScheduled', 'False');
  const disrupted = conditionOf(fields, 'DisruptionTarget', 'True');
  const init = listOf(fields['initContainerStatuses']);
  return {
    ...text(fields, 'phase'),
    ...text(fields, 'reason'),
    ...text(fields, 'message'),
    ...text(fields, 'startTime'),
    ...(unscheduled === undefined ? {} : { unscheduled }),
    ...(disrupted === undefined ? {} : { disrupted }),
    ...lingeringIn(fields),
    containers: [
      ...containersOf(init, true, true),
      ...containersOf(listOf(fields['containerStatuses']), false, init.length === 0),
    ],
  };
}

/** The same status without the parts that {@link podReport} does not read. */
export function reducedPodStatus(status: unknown): Fields {
  const fields = fieldsOf(status);
  const kept: Record<string, unknown> = {
    ...text(fields, 'phase'),
    ...text(fields, 'reason'),
    ...text(fields, 'message'),
  };
  const conditions = listOf(fields['conditions']).filter(isRead).map(reducedCondition);
  if (conditions.length > 0) kept['conditions'] = conditions;
  const lists = ['initContainerStatuses', 'containerStatuses'] as const;
  if (lingeringIn(fields).lingering !== undefined) {
    return {
      ...kept,
      containerStatuses: listOf(fields['containerStatuses']).map(reducedAsLingering),
    };
  }
  const all = lists.flatMap((list) => listOf(fields[list]));
  if (all.every((container) => stateOf(container) === undefined)) return kept;
  for (const list of lists) {
    const containers = listOf(fields[list]);
    if (containers.length > 0) kept[list] = containers.map(reducedContainer);
  }
  return { ...kept, ...text(fields, 'startTime') };
}

/** Native sidecars are init containers and end by themselves, so they do not count. */
function lingeringIn(fields: Fields): Pick<PodReport, 'lingering'> {
  if (fields['phase'] !== 'Running') return {};
  const containers = listOf(fields['containerStatuses']).map((container) => ({
    name: text(fieldsOf(container), 'name').name ?? '',
    state: fieldsOf(fieldsOf(container)['state']),
  }));
  const running = containers.filter(({ state }) => state['running'] !== undefined);
  const ended = containers.flatMap(({ name, state }) => {
    const { exitCode, finishedAt } = fieldsOf(state['terminated']);
    return exitCode === 0 && typeof finishedAt === 'string' ? [{ name, finishedAt }] : [];
  });
  const since = ended
    .map(({ finishedAt }) => finishedAt)
    .toSorted()
    .at(-1);
  if (since === undefined || running.length + ended.length < containers.length) return {};
  if (running.length === 0) return {};
  const names = (those: readonly { readonly name: string }[]) => those.map(({ name }) => name);
  return { lingering: { ended: names(ended), running: names(running), since } };
}

function reducedAsLingering(container: unknown): Fields {
  const fields = fieldsOf(container);
  const { running, terminated } = fieldsOf(fields['state']);
  const { exitCode, finishedAt } = fieldsOf(terminated);
  const state = running === undefined ? { terminated: { exitCode, finishedAt } } : { running: {} };
  return { ...text(fields, 'name'), state };
}

function isRead(condition: unknown): boolean {
  const { type, status } = fieldsOf(condition);
  return (
    (type === 'PodScheduled' && status === 'False') ||
    (type === 'DisruptionTarget' && status === 'True')
  );
}

function reducedCondition(condition: unknown): Fields {
  const fields = fieldsOf(condition);
  const { type, status } = fields;
  return { type, status, ...conditionTexts(fields) };
}

/** A container that runs or has succeeded keeps only its position. */
function reducedContainer(container: unknown): Fields {
  const fields = fieldsOf(container);
  const state = stateOf(container);
  const name = text(fields, 'name');
  if (state === undefined) return name;
  const { waiting, terminated } = state;
  return {
    ...name,
    ...text(fields, 'image'),
    state: {
      ...(waiting === undefined ? {} : { waiting }),
      ...(terminated === undefined ? {} : { terminated }),
    },
  };
}

function containersOf(
  list: readonly unknown[],
  isInit: boolean,
  isFirstList: boolean,
): readonly ContainerReport[] {
  return list.flatMap((container, index) => {
    const state = stateOf(container);
    if (state === undefined) return [];
    const fields = fieldsOf(container);
    const name = text(fields, 'name').name ?? '';
    const image = text(fields, 'image');
    const first = isFirstList && index === 0 ? ({ isFirst: true } as const) : {};
    const aside = isInit || index > 0 ? ({ isAside: true } as const) : {};
    return [{ name, ...image, ...first, ...aside, ...state }];
  });
}

type State = Pick<ContainerReport, 'waiting' | 'terminated'>;

function stateOf(container: unknown): State | undefined {
  const { waiting, terminated } = fieldsOf(fieldsOf(container)['state']);
  const { reason, ...rest } = texts(fieldsOf(waiting));
  if (reason !== undefined && reason !== '') return { waiting: { reason, ...rest } };
  const ended = fieldsOf(terminated);
  const { exitCode, signal } = ended;
  if (typeof exitCode !== 'number' || exitCode === 0) return undefined;
  const killed = typeof signal === 'number' && signal > 0 ? { signal } : {};
  return {
    terminated: { exitCode, ...killed, ...texts(ended), ...text(ended, 'finishedAt') },
  };
}

function conditionOf(status: Fields, type: string, holds: string): PodConditionReport | undefined {
  const found = listOf(status['conditions'])
    .map(fieldsOf)
    .find((condition) => condition['type'] === type && condition['status'] === holds);
  if (found === undefined) return undefined;
  return { reason: type, ...conditionTexts(found) };
}

function conditionTexts(condition: Fields) {
  return { ...texts(condition), ...text(condition, 'lastTransitionTime') };
}

function texts(fields: Fields) {
  return { ...text(fields, 'reason'), ...text(fields, 'message') };
}

type Fields = Readonly<Record<string, unknown>>;

function text<Name extends string>(
  fields: Fields,
  name: Name,
): { readonly [Key in Name]?: string } {
  const value = ownMember(fields, name);
  if (typeof value !== 'string') return {};
  return { [name]: value.slice(0, maxTextLength) } as { readonly [Key in Name]: string };
}
