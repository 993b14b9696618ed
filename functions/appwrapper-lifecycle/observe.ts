/** The only reads of appwrapper-lifecycle: the wrapper, what it created, and the Pods with its label. */
import type { AppWrapper, ComponentStatus } from '#shared/api/app-wrapper.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { conditionStatus } from '#shared/domain/conditions.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { fieldsOf, isList } from '#shared/domain/json-value.ts';
import { labels } from '#shared/domain/labels.ts';
import {
  isControlledBy,
  type KubeObject,
  type ObjectKey,
  objectName,
  type Resource,
} from '#shared/domain/objects.ts';
import { podTrouble } from '#shared/domain/pod-trouble.ts';
import { resources } from '#shared/domain/resources.ts';
import { rejectionOf } from '#shared/kube/rejection-of.ts';
import { whyUnanswered } from '#shared/kube/why-unanswered.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { brokenNodeOf, evictingTaints } from './broken-node.ts';
import { defaultRules, type NodeHealth, type WrapperRules } from './rules.ts';
import { endOf } from './subscription/ends.ts';
import type {
  BrokenNode,
  LifecycleSnapshot,
  ObservedComponent,
  ObservedObject,
  ObservedPod,
} from './snapshot.ts';
import { membershipOf } from './subscription/pod-owners.ts';
import { isAtRest } from './subscription/unfinished.ts';

/** Undefined: the wrapper is gone, or a new one has its name. */
export async function observe(
  key: ObjectKey,
  reader: Reader,
  rules?: WrapperRules,
): Promise<LifecycleSnapshot | undefined> {
  const found = await reader.get(resources.AppWrapper, key);
  if (found?.metadata.uid !== key.uid) return undefined;
  const wrapper = asWrapper(found);
  const ofInstallation = rules === undefined ? {} : { rules };
  const nothing = { key, wrapper, components: [], pods: [], rejections: [], ...ofInstallation };
  if (isAtRest(found)) return nothing;
  const recorded = wrapper.status?.componentStatus ?? [];
  const components = await Promise.all(recorded.map((each) => componentOf(wrapper, each, reader)));
  const pods = (await reader.listByRoot?.(resources.Pod, key)) ?? [];
  const { nodeHealth } = rules ?? defaultRules;
  const own = pods.filter((pod) => components[componentOfPod(pod)]?.isOthers !== true);
  const observed = await observedPods(wrapper, own, nodeHealth, reader);
  return { ...nothing, components, pods: observed };
}

/** The CRD's schema guarantees the shape. Only lists are checked. */
function asWrapper(object: KubeObject): AppWrapper {
  const wrapper = object as unknown as AppWrapper;
  const spec = (object.spec ?? {}) as Partial<AppWrapper['spec']>;
  return { ...wrapper, spec: { ...spec, components: spec.components ?? [] } };
}

/** During creation the API server is asked: a view may still show a resource of an earlier try under the same name. */
async function componentOf(
  { metadata, status }: AppWrapper,
  recorded: ComponentStatus,
  reader: Reader,
): Promise<ObservedComponent> {
  let resource: Resource | undefined;
  try {
    resource = await reader.resourceOf?.(recorded);
    if (resource === undefined) return {};
    if (!resource.namespaced || recorded.name === '') return { resource };
    const { namespace } = objectName(metadata);
    const name = { namespace, name: recorded.name };
    const asOf = status?.phase === 'Resuming' ? 'now' : undefined;
    const seen = await reader.get(resource, name, metadata.uid, asOf);
    const object =
      asOf === undefined && isNewEnd(recorded, seen)
        ? await reader.get(resource, name, metadata.uid, 'now')
        : seen;
    if (object === undefined) return { resource };
    const isOurs = isControlledBy(object.metadata, metadata.uid);
    return {
      resource,
      ...(isOurs ? { object: observedObject(recorded, object) } : { isOthers: true }),
    };
  } catch (error) {
    const unreadable = error instanceof MillraceError ? whyUnreadable(recorded, error) : undefined;
    if (unreadable === undefined) throw error;
    return { ...(resource === undefined ? {} : { resource }), unreadable };
  }
}

/** Undefined: it says nothing about this kind, and the run is tried again. */
function whyUnreadable(
  { name, apiVersion }: ComponentStatus,
  error: MillraceError,
): string | undefined {
  const refusal = rejectionOf(name, error);
  if (refusal?.code === 'Forbidden') {
    return `${refusal.message}; a missing right is granted by a ClusterRole with the label ${labels.aggregateToWrapped}=true`;
  }
  if (refusal !== undefined) return refusal.message;
  const why = whyUnanswered(error);
  return why === undefined ? undefined : `what serves ${apiVersion} does not answer: ${why}`;
}

/** No status reports this end yet. A view may show the end of a resource of an earlier try under the same name. */
function isNewEnd(recorded: ComponentStatus, seen: KubeObject | undefined): boolean {
  const end = seen === undefined ? undefined : endOf(recorded, seen.status);
  if (end === undefined) return false;
  return !end.isSuccess || conditionStatus(recorded.conditions, 'Finished') !== 'True';
}

/** The API server's own finalizer: the object stays until its dependents are gone. */
const foreground = 'foregroundDeletion';

function observedObject(recorded: ComponentStatus, object: KubeObject): ObservedObject {
  const { uid, deletionTimestamp, finalizers = [] } = object.metadata;
  const end = endOf(recorded, object.status);
  const isDeleting = deletionTimestamp !== undefined;
  const keptBy = isDeleting ? finalizers.filter((each) => each !== foreground) : [];
  return {
    uid,
    isDeleting,
    ...(keptBy.length === 0 ? {} : { keptBy }),
    ...(end === undefined ? {} : { end }),
  };
}

async function observedPods(
  wrapper: AppWrapper,
  pods: readonly KubeObject[],
  health: NodeHealth,
  reader: Reader,
): Promise<readonly ObservedPod[]> {
  const mayHaveToGo = pods.some((pod) => evictingTaints(pod, health).length > 0);
  const nodes = mayHaveToGo ? await reader.list(resources.Node) : [];
  const labelsOf = new Map(nodes.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  return pods
    .flatMap((pod) => observedPod(wrapper, pod, brokenNodeOf(pod, health, labelsOf)) ?? [])
    .toSorted((left, right) => compareTexts(left.name, right.name));
}

function componentOfPod({ metadata }: Pick<KubeObject, 'metadata'>): number {
  return Number(metadata.labels?.[labels.component]);
}

/** Undefined: only the Pod's labels say that it belongs to the wrapper. */
function observedPod(
  wrapper: AppWrapper,
  pod: KubeObject,
  brokenNode: BrokenNode | undefined,
): ObservedPod | undefined {
  const { metadata, status } = pod;
  const { name, uid, deletionTimestamp } = metadata;
  const component = componentOfPod({ metadata });
  const recorded = wrapper.status?.componentStatus?.[component];
  const membership =
    recorded === undefined ? 'left' : membershipOf({ metadata }, recorded, wrapper.metadata.uid);
  if (membership === undefined) return undefined;
  const { phase } = fieldsOf(status);
  const trouble = phase === 'Pending' ? podTrouble(pod) : undefined;
  return {
    name,
    uid,
    phase: typeof phase === 'string' ? phase : '',
    isDeleting: deletionTimestamp !== undefined,
    ...(membership === 'member' ? { component } : {}),
    exitCodes: exitCodesOf(status),
    ...(trouble === undefined ? {} : { trouble: `${trouble.reason}: ${trouble.message}` }),
    ...(brokenNode === undefined ? {} : { brokenNode }),
  };
}

export function exitCodesOf(status: unknown): readonly number[] {
  const { containerStatuses } = fieldsOf(status);
  if (!isList(containerStatuses)) return [];
  return containerStatuses.flatMap((container) => {
    const { exitCode } = fieldsOf(fieldsOf(fieldsOf(container)['state'])['terminated']);
    return typeof exitCode === 'number' && exitCode !== 0 ? [exitCode] : [];
  });
}
