import type { DaemonJob, DaemonJobSpec, DaemonJobStatus } from '#shared/api/daemon-job.ts';
import { isObject } from '#shared/domain/json-value.ts';
import { observedMeta, parsedOnce } from '#shared/parents/observed-object.ts';

/** The CRD's schema guarantees the shape of spec and status. */
export const asDaemonJob = parsedOnce(
  ({ apiVersion, kind, metadata, spec, status }): DaemonJob => ({
    apiVersion,
    kind,
    metadata: observedMeta(metadata),
    spec: (isObject(spec ?? null) ? spec : {}) as DaemonJobSpec,
    ...(status === undefined ? {} : { status: status as DaemonJobStatus }),
  }),
);
