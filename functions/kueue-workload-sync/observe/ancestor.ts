import { queuedKindOf } from '#shared/api/work/queued-kinds.ts';
import { groupVersionOf, type JsonObject, type KubeObject } from '#shared/domain/objects.ts';
import { isSuspended, prebuiltIn, queueOf } from '#shared/domain/queue-labels.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { ownersOf } from '#shared/kueue/owners.ts';
import type { QueueRules } from '../queue-settings.ts';
import type { Ancestor } from '../snapshot.ts';
import { asWorkload, holds } from '../workload.ts';
import { workloadName } from '../workload-name.ts';
import { objectWithUid } from './object-with-uid.ts';

/** The outermost owner that Kueue manages: what it owns is admitted with it. Undefined: there is none. */
export async function ancestorOf(
  job: KubeObject,
  reader: Reader,
  { frameworks, managesUnlabelled }: QueueRules,
): Promise<Ancestor | undefined> {
  const { metadata } = job;
  const { namespace = '' } = metadata;
  const { owners, isEndless } = await ownersOf(metadata, namespace, frameworks, (resource, owner) =>
    objectWithUid(resource, owner, reader),
  );
  if (isEndless) return { kind: 'endless' };
  const outermost = owners.findLast(
    (owner) => managesUnlabelled || queueOf(owner as unknown as JsonObject) !== '',
  );
  if (outermost === undefined) return undefined;
  const owner = `${outermost.kind} ${outermost.metadata.name}`;
  if (!mayRun(job)) return { kind: 'managed', owner };
  return { kind: 'managed', owner, isAdmitted: await isAdmitted(outermost, reader) };
}

/** Finds the Workload by the name that Kueue and Millrace both give: Kueue's Workloads lack Millrace's label. */
async function isAdmitted({ apiVersion, kind, metadata }: KubeObject, reader: Reader) {
  const { namespace = '', name: ownerName, uid } = metadata;
  const { name: prebuilt } = prebuiltIn({ metadata } as unknown as JsonObject);
  const { group } = groupVersionOf(apiVersion);
  const name = prebuilt === '' ? workloadName({ kind, group, name: ownerName, uid }) : prebuilt;
  const found = await reader.get(resources.Workload, { namespace, name });
  if (found === undefined) return false;
  const workload = asWorkload(found);
  return !holds(workload, 'Finished') && holds(workload, 'Admitted');
}

function mayRun(job: KubeObject): boolean {
  const hasEnded = queuedKindOf(job).queueing.endOf(job) !== undefined;
  return !hasEnded && !isSuspended(job as unknown as JsonObject);
}
