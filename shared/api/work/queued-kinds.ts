/** The kinds of work of which Millrace makes Workloads, so that they wait in queues of Kueue as a whole. */
import { apiVersionOf, type ObjectKey, type Resource } from '#shared/domain/objects.ts';
import type { Queueing } from './queueing/queueing.ts';
import type { WorkKind } from './work-kind.ts';
import { workKinds } from './work-kinds.ts';

export interface QueuedKind extends WorkKind {
  readonly queueing: Queueing;
}

export const queuedKinds: readonly QueuedKind[] = workKinds.filter(isQueuedKind);

/** Kinds that Kueue manages by default, as far as Millrace knows them: they own what is admitted with them. */
export const managedResources: readonly Resource[] = workKinds
  .filter(({ isQueued }) => isQueued === true)
  .map(({ resource }) => resource);

/** Whichever version names it. */
export function isManagedByKueue({ apiVersion, kind }: KindName): boolean {
  return managedResources.some(
    (each) => each.kind === kind && each.group === (apiVersion.split('/').toReversed()[1] ?? ''),
  );
}

type KindName = Pick<ObjectKey, 'apiVersion' | 'kind'>;

/** Throws where the kind does not queue: nothing of such a kind is decided about. */
export function queuedKindOf(name: KindName): QueuedKind {
  const known = queuedKindNamed(name);
  if (known !== undefined) return known;
  throw new Error(`no ${name.kind} of ${name.apiVersion} waits in a queue`);
}

/** Undefined: Millrace makes no Workload of it. */
export function queuedKindNamed({ apiVersion, kind }: KindName): QueuedKind | undefined {
  return queuedKinds.find(
    ({ resource }) => resource.kind === kind && apiVersionOf(resource) === apiVersion,
  );
}

/** As Kueue's configuration calls a kind. */
export function frameworkName({ resource: { kind, version, group } }: WorkKind): string {
  return `${kind}.${version}.${group}`;
}

function isQueuedKind(kind: WorkKind): kind is QueuedKind {
  return kind.queueing !== undefined;
}
