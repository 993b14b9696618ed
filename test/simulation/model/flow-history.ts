/** The state that a decision about a flow must have seen, according to the commits. */
import type { JobFlow, JobFlowSpec } from '#shared/api/job-flow.ts';
import type { DecisionInput } from '#shared/domain/decision.ts';
import type { JobTemplateObject } from '#shared/api/job-template.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import type { ChildHistory, Committed, Sight } from './child-history.ts';
import type { Past } from './ends.ts';
import type { Freedom } from './freedom.ts';
import { isOver, isWaiting, type Look, type SeenTemplate } from './look.ts';
import { jobsToAskAbout, stepsInDoubt } from './pods.ts';
import { hasEndedFlow } from './time-to-live.ts';
import { startsByHand } from './template-resolution.ts';
import { whole } from './whole-status.ts';

interface Edition {
  readonly uid: string;
  readonly generation?: number | undefined;
}

interface Start {
  readonly version: number;
  readonly spec: JobFlowSpec;
}

export class FlowHistory {
  readonly #children: ChildHistory;
  readonly #flows = new Map<string, JobFlow>();
  /** The spec of each start with its version, newest first. */
  readonly #starts = new Map<string, readonly Start[]>();
  readonly #templates = new Map<string, JobTemplateObject>();
  /** The last version of each, by uid. */
  readonly #lastFlows = new Map<string, JobFlow>();
  readonly #names = new Set<string>();
  readonly #policies = new Map<string, Set<string>>();
  readonly #shutdowns = new Map<string, Set<string>>();
  /** Flows that once had a deadline, by uid. */
  readonly #deadlines = new Set<string>();
  /** The last version of each, by name. Null: it was deleted. */
  readonly #lastTemplates = new Map<string, JobTemplateObject | null>();
  /** The revision at which each generation was replaced, by uid and generation. */
  readonly #replacedAt = new Map<string, number>();

  constructor(children: ChildHistory) {
    this.#children = children;
  }

  /** Call it after the children's history. */
  onChange({ type, object, plural }: Committed): void {
    switch (plural) {
      case 'jobflows':
        this.#onFlow(whole(object as unknown as JobFlow));
        return;
      case 'jobtemplates': {
        const template = object as unknown as JobTemplateObject;
        const before = this.#lastTemplates.get(object.metadata.name);
        if (before) this.#replacedAt.set(editionOf(before.metadata), versionOf(object));
        this.#templates.set(editionOf(object.metadata), template);
        this.#lastTemplates.set(object.metadata.name, type === 'DELETED' ? null : template);
      }
    }
  }

  #onFlow(flow: JobFlow): void {
    const { uid, resourceVersion } = flow.metadata;
    this.#flows.set(`${uid}/${resourceVersion}`, flow);
    const before = this.#lastFlows.get(uid);
    this.#lastFlows.set(uid, flow);
    this.#names.add(flow.metadata.name);
    const policies = this.#policies.get(uid) ?? new Set();
    this.#policies.set(uid, policies.add(flow.spec.failurePolicy ?? 'ContinueIndependent'));
    const shutdowns = this.#shutdowns.get(uid) ?? new Set();
    if (flow.spec.shutdown !== undefined) shutdowns.add(flow.spec.shutdown);
    this.#shutdowns.set(uid, shutdowns);
    if (flow.spec.activeDeadlineSeconds !== undefined) this.#deadlines.add(uid);
    const starts = this.#starts.get(uid) ?? [];
    // A flow that was stopped before its first Job and is retried has not started: its spec is still free.
    const hasStarted = flow.status?.startTime !== undefined;
    const goesOn = before?.status?.state === 'Failed' && flow.status?.state !== 'Failed';
    if (hasStarted && (starts.length === 0 || goesOn))
      this.#starts.set(uid, [{ version: versionOf(flow), spec: flow.spec }, ...starts]);
  }

  /** The last version, even if it is gone. */
  flow(uid: string): JobFlow | undefined {
    return this.#lastFlows.get(uid);
  }

  /** Whether one of this name ever existed. */
  hasFlow(name: string): boolean {
    return this.#names.has(name);
  }

  pastOf(flow: JobFlow): Past {
    const { uid } = flow.metadata;
    const jobs = this.#children.jobsOf(uid);
    const isGone = ({ metadata }: KubeObject): boolean => this.#children.isGone(metadata.uid);
    const policies = this.#policies.get(uid) ?? new Set();
    const shutdowns = this.#shutdowns.get(uid) ?? new Set();
    const hadDeadline = this.#deadlines.has(uid);
    return { flow, jobs, isWhole: true, isGone, policies, shutdowns, hadDeadline };
  }

  /** According to this version of it, which may be an older one. */
  startedWith(flow: JobFlow): JobFlowSpec | undefined {
    const starts = this.#starts.get(flow.metadata.uid) ?? [];
    return starts.find(({ version }) => version <= versionOf(flow))?.spec;
  }

  /** The ways in which the observed state was behind the truth. */
  freedomsOf({ flow, jobs, gone, templates }: Look): readonly Freedom[] {
    const { uid, resourceVersion } = flow.metadata;
    const isBehind = this.#lastFlows.get(uid)?.metadata.resourceVersion !== resourceVersion;
    const seen = [...jobs.values()];
    const known = new Set(seen.map(({ metadata }) => metadata.uid as string));
    const unseen = this.#children
      .jobsOf(uid)
      .filter(({ metadata }) => !known.has(metadata.uid) && this.#children.isThere(metadata.uid));
    const isOlder = (job: KubeObject): boolean =>
      this.#children.isGone(job.metadata.uid) || !this.#children.isLast(job);
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

  /** The state that a decision on this snapshot saw. State that it cannot have seen is a fault. */
  lookOf(
    snapshot: FlowSnapshot,
    { nowMs: atMs, isUnderLoad }: DecisionInput,
    sight: Sight,
  ): { look: Look; faults: readonly string[] } {
    const { uid, resourceVersion } = snapshot.flow.metadata;
    const faults: string[] = [];
    const flow = this.#flows.get(`${uid}/${resourceVersion}`);
    if (flow === undefined) faults.push(`version ${resourceVersion} of the flow never was`);
    const look: Look = {
      flow: flow ?? snapshot.flow,
      startedWith: this.startedWith(flow ?? snapshot.flow),
      jobs: new Map(
        this.#children
          .jobsIn(uid, snapshot.jobs, sight, faults)
          .map((job) => [job.metadata.name, job]),
      ),
      pods: this.#children.podsIn(sight, faults),
      events: sight.events,
      beganAtMs: sight.beganAtMs,
      gone: new Set(snapshot.confirmedMissing),
      noticesRemovals: snapshot.noticesRemovals === true,
      isUnderLoad: isUnderLoad === true,
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
    faults.push(...eventsNotSought(look, sight));
    return { look, faults: faults.map((fault) => `model, sight: ${fault}`) };
  }

  /**
   * A recorded Job that counts as gone was deleted or never existed; any other Job must have existed.
   */
  #notGone({ flow, gone }: Look): readonly string[] {
    const records = flow.status?.jobStatusList ?? [];
    const there = records.flatMap(({ jobName = '', jobUID }) => {
      const isThere = jobUID !== undefined && this.#children.isThere(jobUID);
      return gone.has(jobName) && isThere ? [`${jobName} was taken for gone and is there`] : [];
    });
    const predicted = new Set(records.map(({ jobName }) => jobName));
    const removed = new Set(
      this.#children
        .jobsOf(flow.metadata.uid)
        .filter(({ metadata }) => this.#children.isGone(metadata.uid))
        .map(({ metadata }) => metadata.name),
    );
    const unknown = [...gone].filter((name) => !predicted.has(name) && !removed.has(name));
    return [...there, ...unknown.map((name) => `${name} was taken for gone and never was there`)];
  }

  #templatesIn({ flow, templates }: FlowSnapshot, faults: string[]): Look['templates'] {
    const notBefore = startsByHand(flow) ? versionOf(flow) : 0;
    const seen = new Map<string, SeenTemplate | null>();
    for (const [name, template] of Object.entries(templates)) {
      if (template === null) seen.set(name, null);
      else {
        const { uid, generation, hash } = template;
        const committed = this.#templates.get(editionOf(template));
        if (committed?.metadata.name !== name)
          faults.push(`JobTemplate ${name} never was like this`);
        else if ((this.#replacedAt.get(editionOf(template)) ?? Infinity) < notBefore)
          faults.push(`JobTemplate ${name} was another one before the start of the flow`);
        else seen.set(name, { uid, generation, hash, jobTemplate: committed.spec.jobTemplate });
      }
    }
    return seen;
  }
}

function editionOf({ uid, generation = 0 }: Edition): string {
  return `${uid}/${generation}`;
}

/** All versions of one store are one sequence. */
function versionOf({ metadata }: Pick<KubeObject, 'metadata'>): number {
  return Number(metadata.resourceVersion);
}

/** A recorded running Job that the list lacks must be looked up by name. */
function notSought({ flow, jobs, gone }: Look): readonly string[] {
  if (flow.metadata.deletionTimestamp !== undefined || hasEndedFlow(flow)) return [];
  return (flow.status?.jobStatusList ?? []).flatMap(({ state, jobName }) => {
    if (jobName === undefined || isOver({ state }) || isWaiting({ state })) return [];
    return jobs.has(jobName) || gone.has(jobName)
      ? []
      : [`${jobName} is on record and was not looked for`];
  });
}

/** Only a Job's Events show why it has no Pod. */
function eventsNotSought(look: Look, { events, beganAtMs }: Sight): readonly string[] {
  return jobsToAskAbout(look, beganAtMs).flatMap(({ metadata: { uid, name } }) =>
    events.has(uid) ? [] : [`the Events of ${name} were not looked for`],
  );
}

/** Only a step's Pods show why it does not run. */
function podsNotSought(look: Look, { pods }: Sight): readonly string[] {
  const { flow } = look;
  if (pods !== undefined || flow.metadata.deletionTimestamp !== undefined) return [];
  if (hasEndedFlow(flow)) return [];
  return stepsInDoubt(look).map((name) => `the Pods of ${name} were not looked for`);
}
