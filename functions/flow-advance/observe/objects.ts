/** Objects of the API server, reduced to what decisions depend on. Parsed once, trusted from here on. */
import type { JobFlow, JobFlowSpec, JobFlowStatus } from '#shared/api/job-flow.ts';
import { withAllRecords } from '#shared/api/step-records.ts';
import { annotations, isReservedKey } from '#shared/domain/labels.ts';
import { isObject } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { JobCondition, ObservedJob } from '../snapshot.ts';

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
      ...readAnnotations(metadata.annotations),
    },
    spec: { ...spec, flows },
    ...(object.status === undefined
      ? {}
      : { status: withAllRecords(metadata, flows, object.status as JobFlowStatus) }),
  };
}

/** What users and admission say to Millrace; the rest may be large and is nobody's here. */
function readAnnotations(
  all: KubeObject['metadata']['annotations'] = {},
): Pick<JobFlow['metadata'], 'annotations'> {
  const known = [annotations.retry, annotations.submitter].flatMap((key) => {
    const value = all[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return known.length === 0 ? {} : { annotations: Object.fromEntries(known) };
}

export function asObservedJob(object: KubeObject): ObservedJob {
  let known = observedJobs.get(object);
  if (known === undefined) {
    known = observedJob(object);
    observedJobs.set(object, known);
    counts.set(known, countsOf(recordOf(object.status)));
  }
  return known;
}

/** A view gives the same object until it changes, and most Jobs of a flow do not between two looks. */
const observedJobs = new WeakMap<KubeObject, ObservedJob>();

/** The Job controller's own counts of Pods; they move often, so a decision sees them only in doubt. */
export interface JobCounts {
  readonly active: number;
  readonly ready: number;
  readonly failed: number;
}

/** Of a Job that {@link asObservedJob} gave. */
export function jobCounts(job: ObservedJob): JobCounts {
  return counts.get(job) ?? countsOf({});
}

const counts = new WeakMap<ObservedJob, JobCounts>();

function countsOf(status: Readonly<Record<string, unknown>>): JobCounts {
  const count = (name: string): number => {
    const value = status[name];
    return typeof value === 'number' ? value : 0;
  };
  return { active: count('active'), ready: count('ready'), failed: count('failed') };
}

function observedJob({ metadata, ...object }: KubeObject): ObservedJob {
  const spec = recordOf(object.spec);
  const status = recordOf(object.status);
  const ttl = spec['ttlSecondsAfterFinished'];
  return {
    name: metadata.name,
    uid: metadata.uid,
    ...(spec['suspend'] === true ? pick(metadata, 'resourceVersion') : {}),
    ...pick(metadata, 'creationTimestamp'),
    ...pick(metadata, 'deletionTimestamp'),
    labels: ours(metadata.labels),
    annotations: ours(metadata.annotations),
    suspend: spec['suspend'] === true,
    ...(typeof ttl === 'number' ? { ttlSecondsAfterFinished: ttl } : {}),
    ...text(status, 'startTime'),
    ...text(status, 'completionTime'),
    conditions: conditionsOf(status['conditions']),
  };
}

/** A malformed condition is left out: one bad object must not stop the flow. */
function conditionsOf(conditions: unknown): readonly JobCondition[] {
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((candidate: unknown) => {
    const condition = recordOf(candidate);
    const { type, status } = condition as { readonly type?: unknown; readonly status?: unknown };
    if (typeof type !== 'string' || typeof status !== 'string') return [];
    return [
      {
        type,
        status,
        ...text(condition, 'reason'),
        ...text(condition, 'message'),
        ...text(condition, 'lastTransitionTime'),
      },
    ];
  });
}

function ours(map: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => isReservedKey(key)));
}

function pick<Source extends object, Name extends keyof Source>(
  source: Source,
  name: Name,
): Partial<Pick<Source, Name>> {
  return source[name] === undefined ? {} : ({ [name]: source[name] } as Pick<Source, Name>);
}

function text<Name extends string>(
  source: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [Key in Name]?: string } {
  const value = source[name];
  return typeof value === 'string' ? ({ [name]: value } as { [Key in Name]: string }) : {};
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
