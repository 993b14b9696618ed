/** What the bridge follows. Children only by our own label: a cluster's other Jobs are not ours to read. */
import { labels } from '#shared/domain/labels.ts';
import { ObjectView, type Project } from '#shared/kube/object-view.ts';
import { stripMetadata } from '#shared/kube/strip-metadata.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import { projectJob, projectPod } from './project.ts';

export const watchedKinds = ['JobFlow', 'JobTemplate', 'Job', 'Pod'] as const;
export type WatchedKind = (typeof watchedKinds)[number];

export interface Watched {
  /** Absent: every object of the kind. */
  readonly labelSelector?: string;
  readonly project: Project;
}

export const watchSet: Readonly<Record<WatchedKind, Watched>> = {
  JobFlow: { project: stripMetadata },
  JobTemplate: { project: stripMetadata },
  Job: { labelSelector: labels.flowUid, project: projectJob },
  Pod: { labelSelector: labels.flowUid, project: projectPod },
};

/** The Lease by which one of several bridges is elected, in the namespace that they run in. */
export const leaseName = 'millrace-bridge';

/**
 * What the bridge may do. Its Lease it may create, since somebody may delete it, and it may touch no
 * other: whoever may write all Leases can unseat every controller of the cluster.
 *
 * deploy/generate.ts finds it here and renders the bridge's Role from it.
 */
export const bridgeAccess: readonly AccessRule[] = [
  ...watchedKinds.map((resource) => ({ resource, verbs: ['list', 'watch'] }) as const),
  { resource: 'Namespace', verbs: ['get'] },
  { resource: 'Lease', namespace: 'own', verbs: ['create'] },
  { resource: 'Lease', namespace: 'own', names: [leaseName], verbs: ['get', 'patch'] },
];

export type BridgeViews = Readonly<Record<WatchedKind, ObjectView>>;

/** Empty views, one per kind; the reflectors project before they fill them. */
export function createViews(): BridgeViews {
  return {
    JobFlow: new ObjectView(watchSet.JobFlow.project),
    JobTemplate: new ObjectView(watchSet.JobTemplate.project),
    Job: new ObjectView(watchSet.Job.project),
    Pod: new ObjectView(watchSet.Pod.project),
  };
}
