/** The only reads of suspend-schedule. */
import { type SuspendPolicy, suspendPolicyDefaults } from '#shared/api/suspend-policy.ts';
import { compareTexts } from '#shared/domain/compare-texts.ts';
import { exemptNamespaces } from '#shared/domain/exempt-namespaces.ts';
import type { KubeObject, ObjectKey } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { resources } from '#shared/domain/resources.ts';
import { listIfServed } from '#shared/kube/list-if-served.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { governedKindNamed, governedKinds } from '#shared/api/work/governed-kinds.ts';
import { keyOf } from '#shared/suspension/policy-key.ts';
import { isHeldAsMarked } from './decide/mark.ts';
import { priorities, type PriorityOf } from './observe/priorities.ts';
import { startingFor } from './observe/starting.ts';
import { throughWorkload, workloadsOf } from './observe/workloads.ts';
import {
  type HeldByWorkload,
  policyResourceOf,
  type Rival,
  type SelectedObject,
  type SuspendSnapshot,
} from './snapshot.ts';
import { type GovernedObject, governedObject } from '#shared/suspension/governed-object.ts';
import { readMark } from '#shared/suspension/mark.ts';
import {
  type Namespaces,
  policyResources,
  selects,
  takesPart,
} from '#shared/suspension/selection.ts';

/** Undefined: the policy is gone, or a new one has its name. */
export async function observe(
  key: ObjectKey,
  reader: Reader,
  exempt: readonly string[] = exemptNamespaces({}),
): Promise<SuspendSnapshot | undefined> {
  const object = await reader.get(policyResourceOf(key), key);
  if (object?.metadata.uid !== key.uid) return undefined;
  const policy = asPolicy(object);
  // Objects are read before policies, so that each policy that has marked an object is known.
  const seen = await everything(policy, reader);
  const found = isLetGo(policy, seen) ? await everything(policy, reader, 'now') : seen;
  const policies = await otherPolicies(policy, reader);
  const cluster = { ...(await clusterOf(policy, policies, reader)), exempt };
  const rivals = policies.filter(takesPart).sort(byKey);
  const objects = selectedObjects(found, policy, rivals, cluster);
  const used = new Set(objects.flatMap((each) => each.rivals ?? []));
  return {
    policy,
    rivals: rivals.map((rival, index) => asRival(rival, used.has(index))),
    objects,
    rejections: [],
  };
}

/** The API server sets defaults, but a view may be older than the default of a field. */
function asPolicy(object: KubeObject): SuspendPolicy {
  return object as unknown as SuspendPolicy;
}

/** Another policy of the same name is an earlier one from an outdated list, and does not count. */
async function otherPolicies(
  policy: SuspendPolicy,
  reader: Reader,
): Promise<readonly SuspendPolicy[]> {
  const own = keyOf(policy);
  const lists = await Promise.all(policyResources.map((resource) => reader.list(resource)));
  return lists
    .flat()
    .map(asPolicy)
    .filter((other) => keyOf(other) !== own);
}

interface Cluster extends Namespaces {
  readonly priorityOf: PriorityOf;
}

async function clusterOf(
  policy: SuspendPolicy,
  others: readonly SuspendPolicy[],
  reader: Reader,
): Promise<Omit<Cluster, 'exempt'>> {
  const needsLabels = [policy, ...others].some(({ spec }) => spec.namespaceSelector !== undefined);
  const namespaces = needsLabels ? await reader.list(resources.Namespace) : [];
  const labels = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  return {
    labelsOf: (namespace) => labels.get(namespace) ?? {},
    priorityOf: await priorities(policy.spec, reader),
  };
}

/** After an edit the policy may still hold objects of a kind that it no longer names. */
async function listedObjects(
  { metadata, spec, status }: SuspendPolicy,
  reader: Reader,
  asOf?: 'now',
): Promise<readonly KubeObject[]> {
  const { kinds } = suspendPolicyDefaults;
  const own: readonly string[] = spec.kinds ?? kinds;
  const isEdited = status?.observedGeneration !== metadata.generation;
  // A policy that was never followed holds nothing, so optional kinds are not listed for it.
  const former = status?.observedGeneration === undefined ? kinds : allKinds;
  const wanted = isEdited ? new Set([...former, ...own]) : own;
  const lists = await Promise.all([...wanted].map((kind) => listOf(kind, reader, asOf)));
  return lists.flat();
}

const allKinds = governedKinds.map(({ resource }) => resource.kind);

function listOf(
  kind: string,
  reader: Reader,
  asOf: 'now' | undefined,
): Promise<readonly KubeObject[]> {
  const { resource, isOptional } = governedKindNamed(kind) ?? {};
  // The kind is unknown in this version of Millrace.
  if (resource === undefined) return Promise.resolve([]);
  return isOptional === true ? listIfServed(reader, resource, asOf) : reader.list(resource, asOf);
}

interface Found {
  readonly object: KubeObject;
  readonly governed: GovernedObject & HeldByWorkload;
}

/** Everything that may be governed. `now`: as the API server has it. */
async function everything(
  policy: SuspendPolicy,
  reader: Reader,
  asOf?: 'now',
): Promise<readonly Found[]> {
  const listed = await listedObjects(policy, reader, asOf);
  const workloads = await workloadsOf(listed, reader, asOf);
  return listed.flatMap((object): readonly Found[] => {
    const governed = governedObject(object);
    return governed === undefined
      ? []
      : [{ object, governed: throughWorkload(governed, workloads) }];
  });
}

/**
 * The policy is being deleted, and the view shows nothing that it holds. A held object that is not in the view would
 * stay suspended for ever, so the API server is asked as well.
 */
function isLetGo(policy: SuspendPolicy, seen: readonly Found[]): boolean {
  const { metadata, spec } = policy;
  if (metadata.deletionTimestamp === undefined || spec.onDelete === 'Leave') return false;
  return !seen.some(({ governed }) => isHeldBy(policy, governed));
}

function selectedObjects(
  found: readonly Found[],
  policy: SuspendPolicy,
  rivals: readonly SuspendPolicy[],
  cluster: Cluster,
): readonly SelectedObject[] {
  const isStarting = startingFor(policy);
  const known = found.flatMap(({ object, governed }): readonly SelectedObject[] => {
    const isSelected = selects(policy, governed, cluster);
    if (!isSelected && !isOfConcern(policy, governed)) return [];
    const also = rivals.flatMap((rival, index) =>
      selects(rival, governed, cluster) ? [index] : [],
    );
    const each = selected(governed, object, also, cluster.priorityOf, policy);
    if (!isSelected) return [{ ...each, isSelected: false }];
    return [isStarting(governed) ? { ...each, isStarting: true } : each];
  });
  return known.sort(byPlace);
}

/** Of unselected objects: those that it holds, or, if it is being deleted, all with its mark. */
function isOfConcern(policy: SuspendPolicy, object: GovernedObject): boolean {
  const isLeaving = policy.metadata.deletionTimestamp !== undefined;
  return isLeaving ? isMarkedBy(policy, object) : isHeldBy(policy, object);
}

function isMarkedBy({ metadata }: SuspendPolicy, object: GovernedObject): boolean {
  return readMark(object.mark)?.policy === metadata.uid;
}

/** The object still has the policy's mark. */
function isHeldBy(policy: SuspendPolicy, object: GovernedObject): boolean {
  return isHeldAsMarked(object) && isMarkedBy(policy, object);
}

function selected(
  governed: GovernedObject & HeldByWorkload,
  object: KubeObject,
  rivals: readonly number[],
  priorityOf: PriorityOf,
  { spec }: SuspendPolicy,
): SelectedObject {
  // Kueue decides where its work runs, and how much of it.
  const pods = governed.workload === undefined ? governedKindNamed(governed.kind)?.pods : undefined;
  const isPlaced = spec.onResume?.placement !== undefined || governed.placed !== undefined;
  const countsRequests = spec.capacity?.resources !== undefined;
  return {
    ...omit(governed, 'labels'),
    ...priorityOf(object),
    ...groupIn(spec, governed),
    ...(pods !== undefined && countsRequests ? { requests: pods.requestsOf(object) } : {}),
    ...(pods !== undefined && isPlaced ? { pod: pods.placedPodOf(object) } : {}),
    ...(rivals.length === 0 ? {} : { rivals }),
  };
}

/** Objects without the label form a group of their own. */
function groupIn(
  { fairness }: SuspendPolicy['spec'],
  { namespace, labels }: GovernedObject,
): Pick<SelectedObject, 'group'> {
  const { groupBy } = fairness ?? {};
  if (groupBy === undefined) return {};
  return {
    group: groupBy === 'Namespace' ? namespace : (ownMember(labels, labelOf(groupBy)) ?? ''),
  };
}

function labelOf(groupBy: string): string {
  return groupBy.slice('label:'.length);
}

/** The schedule is left out if the policy selects none of the same objects. */
function asRival({ metadata, spec, kind }: SuspendPolicy, isUsed: boolean): Rival {
  return {
    key: keyOf({ metadata, kind }),
    uid: metadata.uid,
    precedence: spec.precedence ?? suspendPolicyDefaults.precedence,
    ...(spec.schedule === undefined || !isUsed ? {} : { schedule: spec.schedule }),
    hasCapacity: spec.capacity !== undefined,
  };
}

function byKey(left: SuspendPolicy, right: SuspendPolicy): number {
  return compareTexts(keyOf(left), keyOf(right));
}

/** Lists have no defined order, and the same cluster should give the same record. */
function byPlace(left: SelectedObject, right: SelectedObject): number {
  return (
    compareTexts(left.kind, right.kind) ||
    compareTexts(left.namespace, right.namespace) ||
    compareTexts(left.name, right.name)
  );
}
