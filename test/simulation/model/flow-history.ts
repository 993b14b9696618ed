/**
 * Everything that was committed about flows, their Jobs and JobTemplates, and what a decision must have
 * had in sight by it. Nothing here believes what observe made of an object: it only says which version
 * it looked at.
 */
import type { JobFlow, JobFlowSpec } from '#shared/api/job-flow.ts';
import type { DecisionInput } from '#shared/domain/decision.ts';
import type { JobTemplateObject } from '#shared/api/job-template.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { Past } from './ends.ts';
import type { Freedom } from './freedom.ts';
import { jobParts } from './job-fate.ts';
import { isOver, isWaiting, type Look, type SeenTemplate } from './look.ts';
import { stepsInDoubt } from './pods.ts';
import { hasEndedFlow } from './time-to-live.ts';
import { whole } from './whole-status.ts';

/** A change as the API server committed it. */
export interface Committed {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly plural: string;
}

/** What a pass read, besides what its snapshot tells. */
export interface Sight {
  /** The versions that it read of each Job, by uid. */
  readonly versions: ReadonlyMap<string, ReadonlySet<string>>;
  /** Undefined: it did not ask. */
  readonly pods: readonly KubeObject[] | 'nobody may' | undefined;
}

export class FlowHistory {
  readonly #flows = new Map<string, JobFlow>();
  readonly #startedWith = new Map<string, JobFlowSpec>();
  readonly #jobs = new Map<string, KubeObject[]>();
  /** By uid and version. */
  readonly #pods = new Map<string, KubeObject>();
  readonly #templates = new Map<string, JobTemplateObject>();
  /** By what observe made of it. */
  readonly #recognized = new WeakMap<ObservedJob, KubeObject>();
  readonly #gone = new Set<string>();
  /** The last version of each, by uid. */
  readonly #lastFlows = new Map<string, JobFlow>();
  readonly #policies = new Map<string, Set<string>>();
  /** The last version of each, by name; null: it was deleted. */
  readonly #lastTemplates = new Map<string, JobTemplateObject | null>();
  readonly #jobsOfFlow = new Map<string, Set<string>>();

  onChange({ type, object, plural }: Committed): void {
    const { uid, generation } = object.metadata;
    switch (plural) {
      case 'jobflows':
        this.#onFlow(whole(object as unknown as JobFlow));
        return;
      case 'jobs': {
        this.#jobs.set(uid, [...(this.#jobs.get(uid) ?? []), object]);
        if (type === 'DELETED') this.#gone.add(uid);
        const owner = controllerOf(object.metadata)?.uid ?? '';
        this.#jobsOfFlow.set(owner, (this.#jobsOfFlow.get(owner) ?? new Set()).add(uid));
        return;
      }
      case 'pods':
        this.#pods.set(`${uid}/${object.metadata.resourceVersion}`, object);
        return;
      case 'jobtemplates': {
        const template = object as unknown as JobTemplateObject;
        this.#templates.set(`${uid}/${generation}`, template);
        this.#lastTemplates.set(object.metadata.name, type === 'DELETED' ? null : template);
      }
    }
  }

  #onFlow(flow: JobFlow): void {
    const { uid, resourceVersion } = flow.metadata;
    this.#flows.set(`${uid}/${resourceVersion}`, flow);
    this.#lastFlows.set(uid, flow);
    const policies = this.#policies.get(uid) ?? new Set();
    this.#policies.set(uid, policies.add(flow.spec.failurePolicy ?? 'ContinueIndependent'));
    const isStart = flow.status?.startTime !== undefined && !this.#startedWith.has(uid);
    if (isStart) this.#startedWith.set(uid, flow.spec);
  }

  /** As it was last, also when it is gone. */
  flow(uid: string): JobFlow | undefined {
    return this.#lastFlows.get(uid);
  }

  pastOf(flow: JobFlow): Past {
    const { uid } = flow.metadata;
    const jobs = [...(this.#jobsOfFlow.get(uid) ?? [])].flatMap((job) =>
      this.#jobs.get(job)!.at(-1)!,
    );
    const isGone = ({ metadata }: KubeObject): boolean => this.#gone.has(metadata.uid);
    return { flow, jobs, isWhole: true, isGone, policies: this.#policies.get(uid) ?? new Set() };
  }

  startedWith({ metadata, status }: JobFlow): JobFlowSpec | undefined {
    return status?.startTime === undefined ? undefined : this.#startedWith.get(metadata.uid);
  }

  /** In what the look was behind the truth. */
  freedomsOf({ flow, jobs, gone, templates }: Look): readonly Freedom[] {
    const { uid, resourceVersion } = flow.metadata;
    const isBehind = this.#lastFlows.get(uid)?.metadata.resourceVersion !== resourceVersion;
    const seen = [...jobs.values()];
    const known = new Set(seen.map(({ metadata }) => metadata.uid as string));
    const unseen = [...(this.#jobsOfFlow.get(uid) ?? [])].filter(
      (job) => !known.has(job) && !this.#gone.has(job),
    );
    const isOlder = ({ metadata }: KubeObject): boolean =>
      this.#gone.has(metadata.uid) ||
      this.#jobs.get(metadata.uid)?.at(-1)?.metadata.resourceVersion !== metadata.resourceVersion;
    const olderTemplates = [...templates].filter(([name, template]) => {
      const last = this.#lastTemplates.get(name) ?? null;
      return (
        last?.metadata.uid !== template?.uid || last?.metadata.generation !== template?.generation
      );
    });
    const used: readonly (readonly [Freedom, boolean])[] = [
      ['older flow', isBehind],
      ['older Job', seen.some(isOlder)],
      ['unseen Job', unseen.length > 0 && gone.size === 0],
      ['older template', olderTemplates.length > 0],
    ];
    return used.flatMap(([freedom, isUsed]) => (isUsed ? [freedom] : []));
  }

  /** What a decision saw that was made by this snapshot; what it cannot have seen is a fault. */
  lookOf(
    snapshot: FlowSnapshot,
    { nowMs: atMs, gates }: DecisionInput,
    sight: Sight,
  ): { look: Look; faults: readonly string[] } {
    const { uid, resourceVersion } = snapshot.flow.metadata;
    const faults: string[] = [];
    const flow = this.#flows.get(`${uid}/${resourceVersion}`);
    if (flow === undefined) faults.push(`version ${resourceVersion} of the flow never was`);
    const look: Look = {
      flow: flow ?? snapshot.flow,
      startedWith: this.startedWith(flow ?? snapshot.flow),
      jobs: this.#jobsIn(snapshot, sight, faults),
      pods: this.#podsIn(sight, faults),
      gone: new Set(snapshot.confirmedMissing),
      noticesRemovals: snapshot.noticesRemovals === true,
      isUnderLoad: gates['UnderLoad'] === true,
      templates: this.#templatesIn(snapshot, faults),
      refused: new Map(
        [...(snapshot.heldNames ?? []), ...snapshot.rejections].map(({ name, code }) => [
          name,
          code,
        ]),
      ),
      wasJustRefused: snapshot.rejections.length > 0,
      atMs,
    };
    faults.push(...this.#notGone(look), ...notSought(look), ...podsNotSought(look, sight));
    return { look, faults: faults.map((fault) => `model, sight: ${fault}`) };
  }

  #jobsIn(
    { flow, jobs }: FlowSnapshot,
    { versions }: Sight,
    faults: string[],
  ): ReadonlyMap<string, KubeObject> {
    const seen = new Map<string, KubeObject>();
    for (const observed of jobs) {
      const job = this.#recognized.get(observed) ?? this.#recognize(observed, versions);
      if (job === undefined)
        faults.push(`${observed.name} never was like this: ${JSON.stringify(observed)}`);
      else if (controllerOf(job.metadata)?.uid !== flow.metadata.uid)
        faults.push(`${observed.name} is not of this flow`);
      else seen.set(observed.name, job);
    }
    return seen;
  }

  #recognize(observed: ObservedJob, versions: Sight['versions']): KubeObject | undefined {
    const read = versions.get(observed.uid);
    const job = this.#jobs
      .get(observed.uid)
      ?.findLast(
        (version) =>
          isSeenAs(version, observed) && read?.has(version.metadata.resourceVersion) !== false,
      );
    if (job !== undefined) this.#recognized.set(observed, job);
    return job;
  }

  #podsIn({ pods }: Sight, faults: string[]): Look['pods'] {
    if (pods === undefined || pods === 'nobody may') return undefined;
    return pods.flatMap(({ metadata: { name, uid, resourceVersion } }) => {
      const pod = this.#pods.get(`${uid}/${resourceVersion}`);
      if (pod === undefined) faults.push(`Pod ${name} never was at ${resourceVersion}`);
      return pod ?? [];
    });
  }

  /** A Job that is on record and taken for gone has been deleted, or never was; another one has been. */
  #notGone({ flow, gone }: Look): readonly string[] {
    const records = flow.status?.jobStatusList ?? [];
    const there = records.flatMap(({ jobName = '', jobUID }) => {
      const isThere = jobUID !== undefined && this.#jobs.has(jobUID) && !this.#gone.has(jobUID);
      return gone.has(jobName) && isThere ? [`${jobName} was taken for gone and is there`] : [];
    });
    const told = new Set(records.map(({ jobName }) => jobName));
    const removed = new Set(
      [...(this.#jobsOfFlow.get(flow.metadata.uid) ?? [])]
        .filter((uid) => this.#gone.has(uid))
        .map((uid) => this.#jobs.get(uid)!.at(-1)!.metadata.name),
    );
    const unknown = [...gone].filter((name) => !told.has(name) && !removed.has(name));
    return [...there, ...unknown.map((name) => `${name} was taken for gone and never was there`)];
  }

  #templatesIn({ templates }: FlowSnapshot, faults: string[]): Look['templates'] {
    const seen = new Map<string, SeenTemplate | null>();
    for (const [name, template] of Object.entries(templates)) {
      if (template === null) seen.set(name, null);
      else {
        const { uid, generation, hash } = template;
        const committed = this.#templates.get(`${uid}/${generation}`);
        if (committed?.metadata.name !== name)
          faults.push(`JobTemplate ${name} never was like this`);
        else seen.set(name, { uid, generation, hash, jobTemplate: committed.spec.jobTemplate });
      }
    }
    return seen;
  }
}

/** What is on record as under way was looked for, by its name when no list had it. */
function notSought({ flow, jobs, gone }: Look): readonly string[] {
  if (flow.metadata.deletionTimestamp !== undefined || hasEndedFlow(flow)) return [];
  return (flow.status?.jobStatusList ?? []).flatMap(({ state, jobName }) => {
    if (jobName === undefined || isOver({ state }) || isWaiting({ state })) return [];
    return jobs.has(jobName) || gone.has(jobName)
      ? []
      : [`${jobName} is on record and was not looked for`];
  });
}

/** Why a step does not run is only known from its Pods. */
function podsNotSought(look: Look, { pods }: Sight): readonly string[] {
  const { flow } = look;
  if (pods !== undefined || flow.metadata.deletionTimestamp !== undefined) return [];
  if (hasEndedFlow(flow)) return [];
  return stepsInDoubt(look).map((name) => `the Pods of ${name} were not looked for`);
}

type Notes = Readonly<Record<string, string>>;

const knownNotes = new WeakMap<Notes, string>();
const noNotes: Notes = {};

/** Labels or annotations that are ours, as text; those of one version are asked for again and again. */
function notes(from: Notes = noNotes): string {
  const text = knownNotes.get(from) ?? textOfNotes(from);
  knownNotes.set(from, text);
  return text;
}

function textOfNotes(from: Notes): string {
  const ours = Object.entries(from).filter(([key]) => key.startsWith('millrace.dev/'));
  return JSON.stringify(ours.toSorted());
}

/** In everything that the rules speak of. */
function isSeenAs({ metadata, ...rest }: KubeObject, observed: ObservedJob): boolean {
  const { spec, status } = jobParts({ metadata, ...rest });
  return (
    metadata.name === observed.name &&
    metadata.deletionTimestamp === observed.deletionTimestamp &&
    (spec.suspend === true) === observed.suspend &&
    spec.ttlSecondsAfterFinished === observed.ttlSecondsAfterFinished &&
    status.startTime === observed.startTime &&
    status.completionTime === observed.completionTime &&
    notes(metadata.labels) === notes(observed.labels) &&
    notes(metadata.annotations) === notes(observed.annotations) &&
    JSON.stringify(status.conditions ?? []) === JSON.stringify(observed.conditions)
  );
}
