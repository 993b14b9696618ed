/**
 * Everything that was committed about flows, their Jobs and JobTemplates, and what a decision must have
 * had in sight by it. Nothing here believes what observe made of an object: it only says which version
 * it looked at.
 */
import type { JobFlow, JobFlowSpec } from '#shared/api/job-flow.ts';
import type { JobTemplateObject } from '#shared/api/job-template.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import type { FlowSnapshot, ObservedJob } from '#functions/flow-advance/snapshot.ts';
import type { StoreEvent } from '#functions/sandbox/store/object-store.ts';
import { jobParts } from './job-fate.ts';
import type { Look, SeenTemplate } from './look.ts';

export class FlowHistory {
  readonly #flows = new Map<string, JobFlow>();
  readonly #startedWith = new Map<string, JobFlowSpec>();
  readonly #jobs = new Map<string, KubeObject[]>();
  readonly #templates = new Map<string, JobTemplateObject>();
  /** By what observe made of it. */
  readonly #recognized = new WeakMap<ObservedJob, KubeObject>();
  readonly #gone = new Set<string>();

  onChange({ type, object, resourceType }: StoreEvent): void {
    const { uid, resourceVersion, generation } = object.metadata;
    switch (resourceType.plural) {
      case 'jobflows': {
        const flow = object as unknown as JobFlow;
        this.#flows.set(`${uid}/${resourceVersion}`, flow);
        const isStart = flow.status?.startTime !== undefined && !this.#startedWith.has(uid);
        if (isStart) this.#startedWith.set(uid, flow.spec);
        return;
      }
      case 'jobs': {
        const versions = this.#jobs.get(uid) ?? [];
        this.#jobs.set(uid, [...versions, object]);
        if (type === 'DELETED') this.#gone.add(uid);
        return;
      }
      case 'jobtemplates':
        this.#templates.set(`${uid}/${generation}`, object as unknown as JobTemplateObject);
    }
  }

  /** What a decision saw that was made by this snapshot; what it cannot have seen is a fault. */
  lookOf(snapshot: FlowSnapshot, atMs: number): { look: Look; faults: readonly string[] } {
    const { uid, resourceVersion } = snapshot.flow.metadata;
    const faults: string[] = [];
    const flow = this.#flows.get(`${uid}/${resourceVersion}`);
    if (flow === undefined) faults.push(`version ${resourceVersion} of the flow never was`);
    const look: Look = {
      flow: flow ?? snapshot.flow,
      startedWith:
        snapshot.flow.status?.startTime === undefined ? undefined : this.#startedWith.get(uid),
      jobs: this.#jobsIn(snapshot, faults),
      gone: new Set(snapshot.confirmedMissing),
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
    faults.push(...this.#notGone(look));
    return { look, faults: faults.map((fault) => `model, sight: ${fault}`) };
  }

  #jobsIn({ flow, jobs }: FlowSnapshot, faults: string[]): ReadonlyMap<string, KubeObject> {
    const seen = new Map<string, KubeObject>();
    for (const observed of jobs) {
      const job = this.#recognized.get(observed) ?? this.#recognize(observed);
      if (job === undefined)
        faults.push(`${observed.name} never was like this: ${JSON.stringify(observed)}`);
      else if (controllerOf(job.metadata)?.uid !== flow.metadata.uid)
        faults.push(`${observed.name} is not of this flow`);
      else seen.set(observed.name, job);
    }
    return seen;
  }

  #recognize(observed: ObservedJob): KubeObject | undefined {
    const job = this.#jobs.get(observed.uid)?.findLast((version) => isSeenAs(version, observed));
    if (job !== undefined) this.#recognized.set(observed, job);
    return job;
  }

  /** A Job that is on record and taken for gone has been deleted, or never was. */
  #notGone({ flow, gone }: Look): readonly string[] {
    return (flow.status?.jobStatusList ?? []).flatMap(({ jobName = '', jobUID }) => {
      const isThere = jobUID !== undefined && this.#jobs.has(jobUID) && !this.#gone.has(jobUID);
      return gone.has(jobName) && isThere ? [`${jobName} was taken for gone and is there`] : [];
    });
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

/** In everything that the rules speak of. */
function isSeenAs({ metadata, ...rest }: KubeObject, observed: ObservedJob): boolean {
  const { spec, status } = jobParts({ metadata, ...rest });
  const notes = (from: Readonly<Record<string, string>> = {}): string =>
    JSON.stringify(
      Object.entries(from)
        .filter(([key]) => key.startsWith('millrace.dev/'))
        .toSorted(),
    );
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
