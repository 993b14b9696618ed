/** A child Job of the API server, reduced to what decisions depend on. Parsed once, trusted from here on. */
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

/** What the Pods of a Job say about it. */
export interface ObservedPods {
  /** By the Job's own count. */
  readonly active: number;
  readonly failed: number;
  /** Some have failed, and none is left. */
  readonly areGone?: true;
  /** The problem that has lasted longest. */
  readonly trouble?: PodTrouble & { readonly pod: string };
  /** The failure that came last. */
  readonly failure?: PodFailure & { readonly pod: string };
  /** Of a Job without a Pod. Absent: its Events were not read. */
  readonly events?: ToldByEvents;
}

/** What the Events of a Job say about its missing Pods (missing-pod.ts); empty: nothing. */
export interface ToldByEvents {
  /** Why the last Pod was not created, as the API server worded it. */
  readonly refusal?: string;
  /** A Pod was created since, and is gone. */
  readonly createdOne?: true;
}

/** A child Job, reduced to what decisions depend on. Its controller is its owner (checked by uid). */
export interface ObservedJob {
  readonly name: string;
  readonly uid: Uid;
  /** Of a suspended one only: it is resumed as it was seen, or not at all. */
  readonly resourceVersion?: ResourceVersion;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly suspend: boolean;
  /** Its parallelism is 0. */
  readonly startsNoPod?: true;
  /** The controller that is to run it, where it is not the Job controller. */
  readonly managedBy?: string;
  /** Seconds. */
  readonly ttlSecondsAfterFinished?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly conditions: readonly JobCondition[];
  /** Absent: the decision does not depend on them, or they were not there to be asked. */
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

/** A view gives the same object until it changes, and most children do not between two looks. */
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

/** A malformed condition is left out: one bad object must not stop its owner. */
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
