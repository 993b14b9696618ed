/** What the views of each process give, once everything has come to rest (AC6 of accounts.ts). */
import { isDeepStrictEqual } from 'node:util';
import { labels } from '#shared/domain/labels.ts';
import type { Bridge } from '#functions/bridge/bridge.ts';
import {
  controllerOf,
  type JsonObject,
  type KubeObject,
  type Resource,
  resourceKey,
  type Uid,
} from '#shared/domain/objects.ts';
import { entryKey, isNote, listRoot, type ViewStore } from '#shared/views/view-store.ts';
import { resources } from '#shared/domain/resources.ts';
import type { ObjectStore } from '#sandbox';
import type { View } from '#shared/kube/object-view.ts';
import type { SimulatedProcess } from '../world/simulated-process.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** All that is kept of the spec of a Job. */
const keptOfJobs: ReadonlySet<string> = new Set([
  'suspend',
  'completions',
  'parallelism',
  'ttlSecondsAfterFinished',
  'backoffLimit',
]);

const followed: readonly Resource[] = [resources.JobFlow, resources.JobTemplate, resources.Job];

export function viewFaults(
  processes: readonly SimulatedProcess[],
  store: ObjectStore,
): readonly string[] {
  return processes.flatMap(({ name, bridge }) =>
    followed.flatMap((resource) => {
      const view = bridge?.views.of(resource);
      if (bridge === undefined || view === undefined) return [];
      const followsAll = bridge.views.scopeOf(resource).labelSelector === undefined;
      return faultsOf(view, keptOf(resource, store, followsAll)).map(
        (fault) => `AC6: ${name}, ${resource.plural}: ${fault}`,
      );
    }),
  );
}

/**
 * What is kept for functions of other processes is what the bridge that keeps it has: of each object that is
 * decided about its version and its children, in the words of their last change that is kept.
 */
export async function storedViewFaults(
  views: Pick<ViewStore, 'read'>,
  processes: readonly SimulatedProcess[],
  store: ObjectStore,
): Promise<readonly string[]> {
  const bridges = processes.flatMap(({ bridge }) => bridge ?? []);
  const faults: string[] = [];
  const decided = [resources.JobFlow, resources.DaemonJob].flatMap((resource) =>
    store.list(resource).map(({ metadata }) => ({ resource, metadata })),
  );
  for (const { resource, metadata } of decided) {
    const reading = await views.read(metadata.uid);
    // What is over is not kept for ever.
    if (reading === undefined) continue;
    const held = reading.entries.flatMap(({ key, version, content }) =>
      content === undefined || isNote(key)
        ? []
        : [`${key} ${content === '' ? version : essence(content)}`],
    );
    const itself = `${entryKey(resourceKey(resource), metadata.uid)} ${metadata.resourceVersion}`;
    const due = bridges.map(({ views: known }) => [itself, ...childrenIn(known, metadata.uid)]);
    if (due.some((each) => isDeepStrictEqual(held.toSorted(), each.toSorted()))) continue;
    faults.push(`AC6: kept of ${metadata.name}: ${held.join(', ')}, not ${due.join(' or ')}`);
  }
  return [...faults, ...(await listFaults(views, bridges))];
}

/** The same of the list of nodes, which is there once somebody was woken who lists it. */
async function listFaults(
  views: Pick<ViewStore, 'read'>,
  bridges: readonly Bridge[],
): Promise<readonly string[]> {
  const reading = await views.read(listRoot(resources.Node));
  if (reading === undefined) return [];
  const held = reading.entries.flatMap(({ key, content }) =>
    content === undefined ? [] : [`${key} ${essence(content)}`],
  );
  const due = bridges.map(({ views: known }) =>
    entriesOf(resources.Node, [...known.followed(resources.Node).values()]),
  );
  if (due.some((each) => isDeepStrictEqual(held.toSorted(), each.toSorted()))) return [];
  return [`AC6: kept of nodes: ${held.join(', ')}, not ${due.map(String).join(' or ')}`];
}

function childrenIn(views: Bridge['views'], root: Uid): readonly string[] {
  const jobs = [...views.followed(resources.Job).values()];
  const pods = [...views.followed(resources.Pod).values()];
  const ofRoot = (objects: readonly KubeObject[]) =>
    objects.filter(({ metadata }) => metadata.labels?.[labels.ownerUid] === root);
  return [...entriesOf(resources.Job, ofRoot(jobs)), ...entriesOf(resources.Pod, ofRoot(pods))];
}

function entriesOf(resource: Resource, objects: readonly KubeObject[]): readonly string[] {
  return objects.map(
    (each) =>
      `${entryKey(resourceKey(resource), each.metadata.uid)} ${essence(JSON.stringify(each))}`,
  );
}

/** A version may be older where all that is kept is the same. */
function essence(text: string): string {
  const { metadata, ...rest } = JSON.parse(text) as KubeObject;
  return JSON.stringify({ ...rest, metadata: { ...metadata, resourceVersion: '' } });
}

function faultsOf(view: View, kept: readonly KubeObject[]): readonly string[] {
  if (!view.synced) return ['never listed'];
  const held = [...view.values()];
  const owners = new Set([...held, ...kept].map(({ metadata }) => controllerOf(metadata)?.uid));
  const misled = [...owners].filter((uid) => {
    if (uid === undefined) return false;
    const children = kept.filter(({ metadata }) => controllerOf(metadata)?.uid === uid);
    return !isDeepStrictEqual(sorted(view.listByOwner(uid)), sorted(children));
  });
  const mistaken = kept.filter(
    ({ metadata: { namespace = '', name } }, index) =>
      !isDeepStrictEqual(view.get(namespace, name), kept[index]),
  );
  return [
    ...(isDeepStrictEqual(sorted(held), sorted(kept))
      ? []
      : [`holds ${JSON.stringify(held)}, not ${JSON.stringify(kept)}`]),
    ...mistaken.map(({ metadata }) => `gives another ${metadata.name} than there is`),
    ...misled.map((uid) => `lists other children of ${uid} than there are`),
  ];
}

function sorted(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.toSorted((left, right) => (left.metadata.uid < right.metadata.uid ? -1 : 1));
}

/** `followsAll`: something is decided about what nobody labelled. */
function keptOf(
  resource: Resource,
  store: ObjectStore,
  followsAll: boolean,
): readonly KubeObject[] {
  const objects = store.list(resource).map(withoutCopy);
  if (resource.kind !== 'Job') return objects;
  const isOurs = ({ metadata }: KubeObject): boolean =>
    metadata.labels?.[labels.ownerUid] !== undefined;
  const others = followsAll ? objects.filter((job) => !isOurs(job)).map(keptOfOthers) : [];
  const ours = objects.filter(isOurs).map((job) => {
    const spec = Object.entries(job.spec as object).filter(([field]) => keptOfJobs.has(field));
    return { ...job, spec: Object.fromEntries(spec) };
  });
  return [...ours, ...others];
}

interface PodOfOthers {
  readonly containers: readonly object[];
  readonly initContainers?: readonly object[];
  readonly priorityClassName?: string;
  readonly nodeSelector?: JsonObject;
  readonly tolerations?: readonly object[];
  readonly affinity?: JsonObject;
}

/** Of Jobs of others neither commands nor environment are kept: what they are told is not ours to know. */
function keptOfOthers({ apiVersion, kind, metadata, spec, status = {} }: KubeObject): KubeObject {
  const { suspend, completions, parallelism, template } = spec as Record<string, JsonObject>;
  const { containers, initContainers = [], ...pod } = template!['spec'] as unknown as PodOfOthers;
  const { priorityClassName, nodeSelector, tolerations, affinity } = pod;
  const { active, terminating, succeeded, failed, startTime, conditions } = status as JsonObject;
  const kept = {
    ...{ apiVersion, kind, metadata },
    spec: {
      ...{ suspend, completions, parallelism },
      template: {
        spec: {
          ...{ priorityClassName, nodeSelector, tolerations, affinity },
          containers: containers.map(() => ({})),
          initContainers: initContainers.map(() => ({})),
        },
      },
    },
    status: { active, terminating, succeeded, failed, startTime, conditions },
  };
  return JSON.parse(JSON.stringify(kept)) as KubeObject;
}

/** Without what kubectl keeps for itself. */
function withoutCopy(object: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  if (annotations?.[lastApplied] === undefined) return object;
  const rest = Object.entries(annotations).filter(([name]) => name !== lastApplied);
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(rest) } };
}
