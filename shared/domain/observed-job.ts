/**
 * A child Job from the API server, reduced to what decisions depend on. It is parsed once and trusted
 * afterwards.
 */
import { isObject, membersOf } from './json-value.ts';
import { isReservedKey } from './labels.ts';
import type { KubeObject, ResourceVersion, Uid } from './objects.ts';
import { ownMember } from './own-member.ts';
import type { PodFailure } from './pod-failure.ts';
import type { PodTrouble } from './pod-trouble.ts';

/** batch/v1 JobCondition. */
export interface JobCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** The state of a Job as its Pods show it. */
export interface ObservedPods {
  /** Counted by the Job's status. */
  readonly active: number;
  readonly failed: number;
  /** Some Pods have failed, and none is left. */
  readonly areGone?: true;
  /** Name of one that is being deleted and has not ended. */
  readonly leaving?: string;
  /** The problem that has lasted longest. */
  readonly trouble?: PodTrouble & { readonly pod: string };
  /** The latest failure. */
  readonly failure?: PodFailure & { readonly pod: string };
  /** For a Job without a Pod. Absent: its Events were not read. */
  readonly events?: ReportedByEvents;
}

/** The reports of a Job's Events about its missing Pods (missing-pod.ts). Empty: there are none. */
export interface ReportedByEvents {
  /** Why the last Pod was not created, in the API server's words. */
  readonly refusal?: string;
  /** A Pod was created after that, and is gone. */
  readonly createdOne?: true;
}

/** A child Job, reduced to what decisions depend on. Its controller is its owner (checked by uid). */
export interface ObservedJob {
  readonly name: string;
  readonly uid: Uid;
  /** Only for a suspended Job: it is resumed at this version, or not at all. */
  readonly resourceVersion?: ResourceVersion;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly suspend: boolean;
  /** Its parallelism is 0. */
  readonly startsNoPod?: true;
  /** The controller that runs it, if not the Job controller. */
  readonly managedBy?: string;
  /** Seconds. */
  readonly ttlSecondsAfterFinished?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly conditions: readonly JobCondition[];
  /** Absent: the decision does not depend on them, or they could not be read. */
  readonly pods?: ObservedPods;
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

/** A view returns the same object until it changes, and most children do not change between two passes. */
const observedJobs = new WeakMap<KubeObject, ObservedJob>();

/**
 * The Job controller's counts of Pods. They change often, so a decision sees them only when it needs them.
 */
export interface JobCounts {
  readonly active: number;
  readonly ready: number;
  readonly failed: number;
}

/** Takes a Job that {@link asObservedJob} returned. */
export function jobCounts(job: ObservedJob): JobCounts {
  return counts.get(job) ?? countsOf({});
}

const counts = new WeakMap<ObservedJob, JobCounts>();

function countsOf(status: Readonly<Record<string, unknown>>): JobCounts {
  const count = (name: string): number => {
    const value = ownMember(status, name);
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
    ...(spec['parallelism'] === 0 ? { startsNoPod: true as const } : {}),
    ...managerOf(spec['managedBy']),
    ...(typeof ttl === 'number' ? { ttlSecondsAfterFinished: ttl } : {}),
    ...text(status, 'startTime'),
    ...text(status, 'completionTime'),
    conditions: conditionsOf(status['conditions']),
  };
}

const jobController = 'kubernetes.io/job-controller';

function managerOf(managedBy: unknown): Pick<ObservedJob, 'managedBy'> {
  return typeof managedBy === 'string' && managedBy !== jobController ? { managedBy } : {};
}

/** A malformed condition is skipped: one bad object must not stop its owner. */
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
  return map === undefined ? {} : membersOf(map, isReservedKey);
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
  const value = ownMember(source, name);
  return typeof value === 'string' ? ({ [name]: value } as { [Key in Name]: string }) : {};
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
