import type { DaemonJob, DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { labels } from '#shared/domain/labels.ts';
import type { KubeObject, ObjectName, Uid } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { endlessWatch } from '../endless-watch.ts';

export interface StatusSizes {
  /** Size of the status in bytes of JSON. */
  readonly atEnd: number;
  readonly most: number;
}

/** Waits until the DaemonJob has succeeded. Throws if it fails. */
export async function untilSucceeded(
  client: KubeClient,
  { namespace, name }: ObjectName,
  signal: AbortSignal,
): Promise<StatusSizes> {
  const fieldSelector = `metadata.name=${name}`;
  const { items, resourceVersion } = await client.list(resources.DaemonJob, {
    namespace,
    fieldSelector,
  });
  let most = 0;
  const noteSize = ({ status = {} }: DaemonJob): number => {
    const bytes = Buffer.byteLength(JSON.stringify(status));
    most = Math.max(most, bytes);
    return bytes;
  };
  for (const item of items)
    if (hasSucceeded(item)) return { atEnd: noteSize(item as DaemonJob), most };
  const options = { namespace, fieldSelector, resourceVersion, signal };
  for await (const { object } of endlessWatch(client, resources.DaemonJob, options)) {
    const atEnd = noteSize(object as DaemonJob);
    if (hasSucceeded(object)) return { atEnd, most };
  }
  throw new Error('the wait for it is over');
}

function hasSucceeded(object: KubeObject): boolean {
  const { state, message = '' } = (object.status ?? {}) as DaemonJobStatus;
  if (state === 'Failed') throw new Error(`the DaemonJob failed: ${message}`);
  return state === 'Succeed';
}

/** Waits until this many Jobs of the owner are complete. */
export async function untilComplete(
  client: KubeClient,
  owner: Uid,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = `${labels.ownerUid}=${owner}`;
  const { items, resourceVersion } = await client.list(resources.Job, { labelSelector });
  const complete = new Set(items.filter(isComplete).map(({ metadata }) => metadata.uid));
  const options = { labelSelector, resourceVersion, signal };
  if (complete.size >= count) return;
  for await (const { object } of endlessWatch(client, resources.Job, options)) {
    if (isComplete(object)) complete.add(object.metadata.uid);
    if (complete.size >= count) return;
  }
  throw new Error('the wait for them is over');
}

function isComplete({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return conditions.some(({ type, status: holds }) => type === 'Complete' && holds === 'True');
}

interface Condition {
  readonly type: string;
  readonly status: string;
}
