/** I19: at rest the views of each process hold what the API server has. */
import { isDeepStrictEqual } from 'node:util';
import { labels } from '#shared/domain/labels.ts';
import type { Bridge } from '#functions/bridge/bridge.ts';
import {
  controllerOf,
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

const judged: readonly Resource[] = [resources.JobFlow, resources.JobTemplate, resources.Job];

export function viewFaults(
  processes: readonly SimulatedProcess[],
  store: ObjectStore,
): readonly string[] {
  return processes.flatMap(({ name, bridge }) =>
    judged.flatMap((resource) => {
      const view = bridge?.views.of(resource);
      if (bridge === undefined || view === undefined) return [];
      const followsAll = bridge.views.scopeOf(resource).labelSelector === undefined;
      const followed = store.list(resource).filter((each) => followsAll || isOurs(each));
      return faultsOf(view, followed).map((fault) => `I19: ${name}, ${resource.plural}: ${fault}`);
    }),
  );
}

/**
 * The stored views equal the bridge's own: the version of each decided object, and its children in their
 * last kept version.
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
    // Views of ended objects are not kept for ever.
    if (reading === undefined) continue;
    const held = reading.entries.flatMap(({ key, version, content }) =>
      content === undefined || isNote(key)
        ? []
        : [`${key} ${content === '' ? version : essence(content)}`],
    );
    const itself = `${entryKey(resourceKey(resource), metadata.uid)} ${metadata.resourceVersion}`;
    const due = bridges.map(({ views: known }) => [itself, ...childrenIn(known, metadata.uid)]);
    if (due.some((each) => isDeepStrictEqual(held.toSorted(), each.toSorted()))) continue;
    faults.push(`I19: kept of ${metadata.name}: ${held.join(', ')}, not ${due.join(' or ')}`);
  }
  return [...faults, ...(await listFaults(views, bridges))];
}

/** The same for the list of nodes, which exists once a function that lists it was woken. */
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
  return [`I19: kept of nodes: ${held.join(', ')}, not ${due.map(String).join(' or ')}`];
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

/** A version may be older if all kept parts are equal. */
function essence(text: string): string {
  const { metadata, ...rest } = JSON.parse(text) as KubeObject;
  return JSON.stringify({ ...rest, metadata: { ...metadata, resourceVersion: '' } });
}

/** Compares objects and versions; the kept parts are checked where they are projected. */
function faultsOf(view: View, stored: readonly KubeObject[]): readonly string[] {
  if (!view.synced) return ['never listed'];
  const held = [...view.values()];
  const owners = new Set([...held, ...stored].map(({ metadata }) => controllerOf(metadata)?.uid));
  const misled = [...owners].filter((uid) => {
    if (uid === undefined) return false;
    const children = stored.filter(({ metadata }) => controllerOf(metadata)?.uid === uid);
    return !isDeepStrictEqual(versions(view.listByOwner(uid)), versions(children));
  });
  const mistaken = stored.filter((object) => {
    const { namespace = '', name } = object.metadata;
    const found = view.get(namespace, name);
    return found === undefined || versionOf(found) !== versionOf(object);
  });
  return [
    ...(isDeepStrictEqual(versions(held), versions(stored))
      ? []
      : [`holds ${versions(held).join(', ')}, not ${versions(stored).join(', ')}`]),
    ...mistaken.map(({ metadata }) => `gives another ${metadata.name} than there is`),
    ...misled.map((uid) => `lists other children of ${uid} than there are`),
  ];
}

function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[labels.ownerUid] !== undefined;
}

function versions(objects: readonly KubeObject[]): readonly string[] {
  return objects.map(versionOf).toSorted();
}

function versionOf({ metadata: { name, uid, resourceVersion } }: KubeObject): string {
  return `${name} ${uid} ${resourceVersion}`;
}
