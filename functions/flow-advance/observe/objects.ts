/** A JobFlow of the API server, reduced to what decisions depend on. Parsed once, trusted from here on. */
import type { JobFlow, JobFlowSpec, JobFlowStatus } from '#shared/api/job-flow.ts';
import { withAllRecords } from '#shared/api/step-records.ts';
import { isObject } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { wishesIn } from '#shared/domain/wishes.ts';

export function asJobFlow(object: KubeObject): JobFlow {
  let known = jobFlows.get(object);
  if (known === undefined) {
    known = jobFlow(object);
    jobFlows.set(object, known);
  }
  return known;
}

/** A view gives the same object until it changes, and a flow is looked at for each of its Jobs. */
const jobFlows = new WeakMap<KubeObject, JobFlow>();

/**
 * The CRD's schema has given spec and status their shape; only a list of steps is made sure of, since
 * everything starts from it.
 */
function jobFlow(object: KubeObject): JobFlow {
  const { apiVersion, kind, metadata } = object;
  const spec = recordOf(object.spec) as Partial<JobFlowSpec>;
  const flows = Array.isArray(spec.flows) ? spec.flows : [];
  return {
    apiVersion,
    kind,
    metadata: {
      name: metadata.name,
      ...pick(metadata, 'namespace'),
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      ...pick(metadata, 'generation'),
      ...pick(metadata, 'creationTimestamp'),
      ...pick(metadata, 'deletionTimestamp'),
      ...wishesIn(metadata.annotations),
    },
    spec: { ...spec, flows },
    ...(object.status === undefined
      ? {}
      : { status: withAllRecords(metadata, flows, object.status as JobFlowStatus) }),
  };
}

function pick<Source extends object, Name extends keyof Source>(
  source: Source,
  name: Name,
): Partial<Pick<Source, Name>> {
  return source[name] === undefined ? {} : ({ [name]: source[name] } as Pick<Source, Name>);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
