/** The kinds that Millrace makes Workloads for, so that an object waits in a queue of Kueue as a whole. */
import {
  apiVersionOf,
  groupVersionOf,
  type ObjectKey,
  type Resource,
} from '#shared/domain/objects.ts';
import type { Queueing } from './queueing/queueing.ts';
import type { WorkKind } from './work-kind.ts';
import { workKinds } from './work-kinds.ts';

export interface QueuedKind extends WorkKind {
  readonly queueing: Queueing;
}

export const queuedKinds: readonly QueuedKind[] = workKinds.filter(isQueuedKind);

/** Known kinds that Kueue manages by default: they own what is admitted with them. */
export const managedResources: readonly Resource[] = workKinds
  .filter(({ isQueued }) => isQueued === true)
  .map(({ resource }) => resource);

/** Any version of the kind. */
export function isManagedByKueue({ apiVersion, kind }: KindName): boolean {
  const { group } = groupVersionOf(apiVersion);
  return managedResources.some((each) => each.kind === kind && each.group === group);
}

type KindName = Pick<ObjectKey, 'apiVersion' | 'kind'>;

/** Throws if the kind does not queue, because such a kind is never decided about. */
export function queuedKindOf(name: KindName): QueuedKind {
  const known = queuedKindNamed(name);
  if (known !== undefined) return known;
  throw new Error(`no ${name.kind} of ${name.apiVersion} waits in a queue`);
}

/** Undefined: Millrace makes no Workload for it. */
export function queuedKindNamed({ apiVersion, kind }: KindName): QueuedKind | undefined {
  return queuedKinds.find(
    ({ resource }) => resource.kind === kind && apiVersionOf(resource) === apiVersion,
  );
}

/** The name of a kind in Kueue's configuration. */
export function frameworkName({ resource: { kind, version, group } }: WorkKind): string {
  return `${kind}.${version}.${group}`;
}

function isQueuedKind(kind: WorkKind): kind is QueuedKind {
  return kind.queueing !== undefined;
}
