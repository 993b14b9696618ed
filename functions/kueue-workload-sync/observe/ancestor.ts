import { queuedKindNamed, queuedKindOf } from '#shared/api/work/queued-kinds.ts';
import { controllerOf, type JsonObject, type KubeObject } from '#shared/domain/objects.ts';
import { isSuspended, queueOf } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { Ancestor } from '../snapshot.ts';
import { asWorkload, holds } from '../workload.ts';
import { objectWithUid } from './object-with-uid.ts';

/** As far as Kueue goes (managedOwnersChainLimit). */
const mostOwners = 10;

/** The outermost owner that waits in a queue: what it owns is admitted with it. Undefined: there is none. */
export async function ancestorOf(job: KubeObject, reader: Reader): Promise<Ancestor | undefined> {
  const { metadata } = job;
  const { namespace = '' } = metadata;
  let outermost: KubeObject | undefined;
  let next = controllerOf(metadata);
  for (let hops = 0; next !== undefined && hops < mostOwners; hops += 1) {
    const resource = queuedKindNamed(next)?.resource;
    if (resource === undefined) break;
    const owner = await objectWithUid(resource, { ...next, namespace }, reader);
    if (owner === undefined) break;
    if (queueOf(owner as unknown as JsonObject) !== '') outermost = owner;
    next = controllerOf(owner.metadata);
  }
  if (outermost === undefined) return undefined;
  const { kind, metadata: found } = outermost;
  if (!mayRun(job)) return { kind, name: found.name };
  const listed = await reader.listByOwner(resources.Workload, { namespace, uid: found.uid });
  const isAdmitted = listed
    .map(asWorkload)
    .some((each) => !holds(each, 'Finished') && holds(each, 'Admitted'));
  return { kind, name: found.name, isAdmitted };
}

function mayRun(job: KubeObject): boolean {
  const hasEnded = queuedKindOf(job).queueing.endOf(job) !== undefined;
  return !hasEnded && !isSuspended(job as unknown as JsonObject);
}
