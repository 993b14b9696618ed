/** Pod (pkg/registry/core/pod/strategy.go; admission plugins Priority and DefaultTolerationSeconds). */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { forbidden, invalid } from '../../apimachinery/cause.ts';
import { type Draft, withFieldOf, withMeta } from '../draft.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { ownStatus, statusOnly, type Strategy } from '../strategy.ts';
import type { World } from '../world.ts';
import { systemPriorities } from './priority-class.ts';
import { withConditionTimes } from './condition-times.ts';
import { podSpecFaults } from './pod-spec-rules.ts';
import { podForbidden, withServiceAccount } from './pod-service-account.ts';
import { type Container, type PodSpec, withPodSpecDefaults } from './pod-template-defaults.ts';
import type { Toleration } from './toleration-rules.ts';

const specOf = ({ spec }: Draft): PodSpec => (spec ?? {}) as PodSpec;

export const pod: Strategy = {
  ...ownStatus,
  answersDeleted: true,
  defaults: withDefaults,
  admit: (object, world) => withTolerations(withPriority(withServiceAccount(object, world), world)),
  prepareCreate: (object) => ({
    ...object,
    status: { phase: 'Pending', qosClass: qosClass(specOf(object)) },
  }),
  prepareUpdate: (object, old) => withFieldOf(withTolerations(object), 'status', old),
  prepareStatus: (object, old) => {
    const { qosClass } = (old.status ?? {}) as { qosClass?: string };
    const next = withMeta(withConditionTimes(statusOnly(object, old)), {
      ...(old.metadata.ownerReferences === undefined
        ? {}
        : { ownerReferences: old.metadata.ownerReferences }),
    });
    const status = { ...(next.status as object | undefined) } as { qosClass?: string };
    return qosClass === undefined || status.qosClass === qosClass
      ? next
      : { ...next, status: { ...status, qosClass } };
  },
  faults: (object, isCreate) => (isCreate ? podSpecFaults(specOf(object), 'spec') : []),
  changeFaults,
  gracePeriod,
};

function withDefaults(object: Draft): Draft {
  // Stored objects have their defaults.
  if (Object.isFrozen(object.spec)) return object;
  const spec = withPodSpecDefaults(specOf(object));
  return { ...object, spec: { enableServiceLinks: true, ...spec } };
}

const priorityClasses = { group: 'scheduling.k8s.io', plural: 'priorityclasses' };

/** Throws StatusError 403 for a priority class that does not exist. */
function withPriority(object: Draft, { store }: World): Draft {
  const spec = specOf(object);
  const name = spec['priorityClassName'] as string | undefined;
  const found =
    name === undefined
      ? store.list(priorityClasses).find((item) => (item as Draft)['globalDefault'] === true)
      : store.get(priorityClasses, '', name);
  const known = found as Draft | undefined;
  if (name !== undefined && known === undefined && systemPriorities[name] === undefined) {
    throw podForbidden(object, `no PriorityClass with name ${name} was found`);
  }
  const value = (known?.['value'] as number | undefined) ?? systemPriorities[name ?? ''] ?? 0;
  const preemptionPolicy =
    (known?.['preemptionPolicy'] as string | undefined) ?? 'PreemptLowerPriority';
  const className = known?.metadata.name ?? name;
  return {
    ...object,
    spec: {
      ...spec,
      ...(className === undefined ? {} : { priorityClassName: className }),
      priority: value,
      preemptionPolicy: spec['preemptionPolicy'] ?? preemptionPolicy,
    },
  };
}

const tolerationSeconds = 300;

function withTolerations(object: Draft): Draft {
  const spec = specOf(object);
  const present = (spec['tolerations'] ?? []) as readonly Toleration[];
  const added = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
    .filter((key) => !present.some((toleration) => tolerates(toleration, key)))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }));
  if (added.length === 0) return object;
  return { ...object, spec: { ...spec, tolerations: [...present, ...added] } };
}

function tolerates({ key, effect }: Toleration, taint: string): boolean {
  const hasKey = key === taint || key === undefined || key === '';
  return hasKey && (effect === 'NoExecute' || effect === undefined || effect === '');
}

/** pkg/apis/core/v1/helper/qos, by cpu and memory of all containers. */
function qosClass({ containers = [], initContainers = [] }: PodSpec): string {
  const all = [...containers, ...initContainers];
  const amounts = (container: Container, field: 'limits' | 'requests'): object =>
    container.resources?.[field] ?? {};
  const asks = (container: Container): boolean =>
    ['cpu', 'memory'].some(
      (name) => name in amounts(container, 'requests') || name in amounts(container, 'limits'),
    );
  if (!all.some(asks)) return 'BestEffort';
  const isGuaranteed = all.every((container) => {
    const { requests = {}, limits = {} } = container.resources ?? {};
    return ['cpu', 'memory'].every(
      (name) => limits[name] !== undefined && jsonEqual(limits[name], requests[name]),
    );
  });
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

const changeable =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** pkg/apis/core/validation ValidatePodUpdate. The message does not quote the difference. */
function changeFaults(object: Draft, old: Draft): readonly StatusCause[] {
  const [after, before] = [specOf(object), specOf(old)];
  if (after === before) return [];
  const faults = deadlineFaults(before['activeDeadlineSeconds'], after['activeDeadlineSeconds']);
  if (countOf(after) !== countOf(before)) {
    return [forbidden('spec.containers', 'pod updates may not add or remove containers')];
  }
  const isFrozenPart = (spec: PodSpec): object => ({
    ...spec,
    activeDeadlineSeconds: undefined,
    tolerations: undefined,
    schedulingGates: undefined,
    containers: spec.containers?.map(withoutImage),
    initContainers: spec.initContainers?.map(withoutImage),
  });
  const had = (before['tolerations'] ?? []) as readonly Toleration[];
  const has = (after['tolerations'] ?? []) as readonly Toleration[];
  const keepsTolerations = had.every((one) => has.some((other) => jsonEqual(one, other)));
  if (keepsTolerations && jsonEqual(isFrozenPart(after), isFrozenPart(before))) return faults;
  return [...faults, forbidden('spec', changeable)];
}

function countOf({ containers = [] }: PodSpec): number {
  return containers.length;
}

/** A deadline may be set and shortened, but neither extended nor removed. */
function deadlineFaults(before: unknown, after: unknown): readonly StatusCause[] {
  if (typeof before !== 'number' || before === after) return [];
  const field = 'spec.activeDeadlineSeconds';
  if (typeof after !== 'number') {
    return [invalid(field, null, 'must not update from a positive integer to nil value')];
  }
  if (after < before) return [];
  return [invalid(field, after, 'must be less than or equal to previous value')];
}

function withoutImage(container: Container): object {
  return { ...container, image: undefined };
}

/** podStrategy.CheckGracefulDelete. */
function gracePeriod(object: Draft, requested: number | undefined): number {
  const { nodeName = '', terminationGracePeriodSeconds = 0 } = specOf(object);
  const { phase } = (object.status ?? {}) as { phase?: string };
  if (nodeName === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
  const seconds = requested ?? terminationGracePeriodSeconds;
  return seconds < 0 ? 1 : seconds;
}
