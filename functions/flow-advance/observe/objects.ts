import type { JobFlow, JobFlowSpec, JobFlowStatus } from '#shared/api/job-flow.ts';
import { withAllRecords } from '#shared/api/step-records.ts';
import { isObject } from '#shared/domain/json-value.ts';
import { observedMeta, parsedOnce } from '#shared/parents/observed-object.ts';

/**
 * The CRD's schema guarantees the shape of spec and status. Only `flows` is checked to be a list,
 * since everything starts from it.
 */
export const asJobFlow = parsedOnce(({ apiVersion, kind, metadata, ...object }): JobFlow => {
  const spec: Partial<JobFlowSpec> = isObject(object.spec ?? null) ? (object.spec as object) : {};
  const flows = Array.isArray(spec.flows) ? spec.flows : [];
  const status = object.status as JobFlowStatus | undefined;
  return {
    apiVersion,
    kind,
    metadata: observedMeta(metadata),
    spec: { ...spec, flows },
    ...(status === undefined ? {} : { status: withAllRecords(metadata, flows, status) }),
  };
});
