/**
 * Every commit about Jobs and their Pods, and the versions that a decision saw. It does not trust
 * observe's parsing; it only identifies the versions that observe read.
 */
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { EventsOfJobs } from './look.ts';
import { jobParts } from './job-fate.ts';

/** A change as the API server committed it. */
export interface Committed {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly plural: string;
}

/** The reads of a pass, beside its snapshot. */
export interface Sight {
  /** The versions that it read of each Job, by uid. */
  readonly versions: ReadonlyMap<string, ReadonlySet<string>>;
  /** The API server's revision at the last lookup of each Job by name. */
  readonly soughtAt: ReadonlyMap<string, number>;
  /** Undefined: it did not ask. */
  readonly pods: readonly KubeObject[] | 'forbidden' | undefined;
  /** The Events that it read, by the uid of their Job. */
  readonly events: EventsOfJobs;
  /** The API server's time when it began to read. */
  readonly beganAtMs: number;
  /** The nodes that it read. Undefined: it did not ask for them. */
  readonly nodes: readonly KubeObject[] | undefined;
  /** It has asked the API server for them. */
  readonly nodesAreNow: boolean;
  /** Its decision is not applied: it is made again by the API server's list of a resource. */
  readonly isTentative: boolean;
}

export class ChildHistory {
  readonly #jobs = new Map<string, KubeObject[]>();
  /** By uid and version. */
  readonly #pods = new Map<string, KubeObject>();
  /** By the result of observe. */
  readonly #recognized = new WeakMap<ObservedJob, KubeObject>();
  readonly #gone = new Set<string>();
  readonly #jobsOfOwner = new Map<string, Set<string>>();

  onChange({ type, object, plural }: Committed): void {
    const { uid, resourceVersion } = object.metadata;
    if (plural === 'pods') this.#pods.set(`${uid}/${resourceVersion}`, object);
    if (plural !== 'jobs') return;
    this.#jobs.set(uid, [...(this.#jobs.get(uid) ?? []), object]);
    if (type === 'DELETED') this.#gone.add(uid);
    const owner = controllerOf(object.metadata)?.uid ?? '';
    this.#jobsOfOwner.set(owner, (this.#jobsOfOwner.get(owner) ?? new Set()).add(uid));
  }

  /** Every Job that it ever had, in its last version. */
  jobsOf(owner: string): readonly KubeObject[] {
    return [...(this.#jobsOfOwner.get(owner) ?? [])].map((uid) => this.#jobs.get(uid)!.at(-1)!);
  }

  isThere(uid: string): boolean {
    return this.#jobs.has(uid) && !this.#gone.has(uid);
  }

  /** The version at its creation. */
  firstVersion(uid: string): number {
    return Number(this.#jobs.get(uid)?.[0]?.metadata.resourceVersion);
  }

  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  isLast({ metadata }: KubeObject): boolean {
    const last = this.#jobs.get(metadata.uid)?.at(-1);
    return last?.metadata.resourceVersion === metadata.resourceVersion;
  }

  /** Jobs as they were committed. A Job that never existed, or of another owner, is a fault. */
  jobsIn(
    owner: string,
    jobs: readonly ObservedJob[],
    { versions }: Sight,
    faults: string[],
  ): readonly KubeObject[] {
    return jobs.flatMap((observed) => {
      const job = this.#recognized.get(observed) ?? this.#recognize(observed, versions);
      if (job === undefined) {
        faults.push(`${observed.name} never was like this: ${JSON.stringify(observed)}`);
        return [];
      }
      if (controllerOf(job.metadata)?.uid === owner) return [job];
      faults.push(`${observed.name} is not of this owner`);
      return [];
    });
  }

  #recognize(observed: ObservedJob, versions: Sight['versions']): KubeObject | undefined {
    const read = versions.get(observed.uid);
    const job = this.#jobs
      .get(observed.uid)
      ?.findLast(
        (version) =>
          read?.has(version.metadata.resourceVersion) !== false && isSeenAs(version, observed),
      );
    if (job !== undefined) this.#recognized.set(observed, job);
    return job;
  }

  /** Undefined: not read, or not permitted. */
  podsIn({ pods }: Sight, faults: string[]): readonly KubeObject[] | undefined {
    if (pods === undefined || pods === 'forbidden') return undefined;
    return pods.flatMap(({ metadata: { name, uid, resourceVersion } }) => {
      const pod = this.#pods.get(`${uid}/${resourceVersion}`);
      if (pod === undefined) faults.push(`Pod ${name} never was at ${resourceVersion}`);
      return pod ?? [];
    });
  }
}

type Notes = Readonly<Record<string, string>>;

/** Whether Millrace's labels or annotations are equal. */
function haveSameNotes(left: Notes = {}, right: Notes = {}): boolean {
  let count = 0;
  for (const key in left) {
    if (!isOurs(key)) continue;
    if (left[key] !== right[key]) return false;
    count += 1;
  }
  for (const key in right) {
    if (isOurs(key)) count -= 1;
  }
  return count === 0;
}

function isOurs(key: string): boolean {
  return key.startsWith('millrace.dev/');
}

type Conditions = ObservedJob['conditions'];

const knownConditions = new WeakMap<Conditions, string>();
const noConditions: Conditions = [];

/** Cached, because one version is compared with many reads. */
function conditionsText(conditions: Conditions = noConditions): string {
  let text = knownConditions.get(conditions);
  if (text === undefined) {
    text = JSON.stringify(conditions);
    knownConditions.set(conditions, text);
  }
  return text;
}

/** Equal in everything that the rules use. */
function isSeenAs(version: KubeObject, observed: ObservedJob): boolean {
  const { metadata } = version;
  const { spec, status } = jobParts(version);
  return (
    metadata.name === observed.name &&
    metadata.deletionTimestamp === observed.deletionTimestamp &&
    (spec.suspend === true) === observed.suspend &&
    spec.ttlSecondsAfterFinished === observed.ttlSecondsAfterFinished &&
    status.startTime === observed.startTime &&
    status.completionTime === observed.completionTime &&
    haveSameNotes(metadata.labels, observed.labels) &&
    haveSameNotes(metadata.annotations, observed.annotations) &&
    conditionsText(status.conditions) === conditionsText(observed.conditions)
  );
}
