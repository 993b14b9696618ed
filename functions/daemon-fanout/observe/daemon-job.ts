/** A DaemonJob of the API server, reduced to what decisions depend on. */
import type { DaemonJob, DaemonJobSpec, DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { isObject } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { wishesIn } from '#shared/domain/wishes.ts';

export function asDaemonJob(object: KubeObject): DaemonJob {
  let known = daemonJobs.get(object);
  if (known === undefined) {
    known = daemonJob(object);
    daemonJobs.set(object, known);
  }
  return known;
}

/** A view gives the same object until it changes, and it is looked at for each of its Jobs. */
const daemonJobs = new WeakMap<KubeObject, DaemonJob>();

/** The CRD's schema has given spec and status their shape. */
function daemonJob({ apiVersion, kind, metadata, spec, status }: KubeObject): DaemonJob {
  const { name, namespace, uid, resourceVersion } = metadata;
  const { generation, creationTimestamp, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      ...(generation === undefined ? {} : { generation }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...wishesIn(metadata.annotations),
    },
    spec: (isObject(spec ?? null) ? spec : {}) as DaemonJobSpec,
    ...(status === undefined ? {} : { status: status as DaemonJobStatus }),
  };
}
