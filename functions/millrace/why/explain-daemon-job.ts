/** Why a DaemonJob, or one node of it, does not continue. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { NodeEntry } from '#shared/api/daemon-job-status.ts';
import { excludedNodes } from '#shared/domain/excluded-nodes.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Cause, Named } from './explanation.ts';
import { jobCauses } from './job-causes.ts';
import { saidCause } from './part-causes.ts';
import type { PartsOf } from './parts.ts';
import { kubectl, listed, type Surroundings } from './surroundings.ts';

export const partsOfDaemonJob: PartsOf = {
  // The user may ask about any node of the cluster.
  names: () => undefined,
  entries: entriesOf,
  failed: (object) =>
    entriesOf(object).flatMap(({ name, state }) => (failures.has(state) ? [name] : [])),
  explainPart: async (object, named, around) => {
    const entry = entriesOf(object).find(({ name }) => name === named.part);
    if (entry !== undefined) return [await saidCause(object, named, entry, around)];
    return unsaidNode(object, named, around);
  },
  causes: async (object, named, around) =>
    Promise.all(
      entriesOf(object)
        .filter(({ state }) => state !== 'Skipped')
        .map((entry) => saidCause(object, { ...named, part: entry.name }, entry, around)),
    ),
};

const failures: ReadonlySet<NodeEntry['state']> = new Set(['Failed', 'Cancelled']);

/** The status has no entry for a node that runs, has succeeded or is not selected. */
async function unsaidNode(
  object: KubeObject,
  named: Named,
  around: Surroundings,
): Promise<readonly Cause[]> {
  const { part = '', namespace, name } = named;
  const own = { object: named, because: [], next: kubectl(around, '', 'get nodes') };
  if (excludedNodes(asDaemonJob(object).spec.excludeNodeList).has(part)) {
    const source = 'spec.excludeNodeList';
    return [{ ...own, reason: 'Excluded', message: `${source} names the node`, source }];
  }
  const jobs = await listed(around, resources.Job, namespace, {
    labelSelector: `${labels.daemonJob}=${name}`,
  });
  const job = jobs.find(({ metadata }) => metadata.annotations?.[annotations.nodeName] === part);
  if (job !== undefined) return jobCauses(job, around);
  const node = await around.client.get(resources.Node, { namespace: '', name: part });
  if (node === undefined) {
    const message = `there is no node ${part}`;
    return [{ ...own, reason: 'NotFound', message, source: 'API server' }];
  }
  return [];
}

function entriesOf(object: KubeObject): readonly NodeEntry[] {
  return asDaemonJob(object).status?.nodes ?? [];
}

/** The CRD's schema guarantees the shape. */
function asDaemonJob(object: KubeObject): DaemonJob {
  return object as unknown as DaemonJob;
}
