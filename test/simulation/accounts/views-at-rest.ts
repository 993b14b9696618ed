/** What the views of each process give, once everything has come to rest (AC6 of accounts.ts). */
import { isDeepStrictEqual } from 'node:util';
import { labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject, type Resource } from '#shared/domain/objects.ts';
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
      if (view === undefined) return [];
      return faultsOf(view, keptOf(resource, store)).map(
        (fault) => `AC6: ${name}, ${resource.plural}: ${fault}`,
      );
    }),
  );
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

function keptOf(resource: Resource, store: ObjectStore): readonly KubeObject[] {
  const objects = store.list(resource).map(withoutCopy);
  if (resource.kind !== 'Job') return objects;
  const ours = objects.filter(({ metadata }) => metadata.labels?.[labels.ownerUid] !== undefined);
  return ours.map((job) => {
    const spec = Object.entries(job.spec as object).filter(([field]) => keptOfJobs.has(field));
    return { ...job, spec: Object.fromEntries(spec) };
  });
}

/** Without what kubectl keeps for itself. */
function withoutCopy(object: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  if (annotations?.[lastApplied] === undefined) return object;
  const rest = Object.entries(annotations).filter(([name]) => name !== lastApplied);
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(rest) } };
}
