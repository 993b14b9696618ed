/**
 * Invariants of DaemonJobs, judged at each commit and at the end, by facts and without the deciding rules.
 *
 * daemonjob-1 At most one Job is created for one attempt on one machine.
 * daemonjob-2 A Job is for a machine that existed; its name and labels are the machine's, and it is pinned to it.
 * daemonjob-3 At most `parallelism` Jobs run at once.
 * daemonjob-4 An end is reverted only by a retry, by a new machine if it never completes, or by an edit if it never
 *    started.
 * daemonjob-5 At rest nothing runs on removed or excluded machines, and each eligible machine has had its Job.
 * daemonjob-6 The counts match the Jobs of the existing machines.
 * daemonjob-7 Events are on an existing or former DaemonJob.
 */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import { hasCondition } from '../invariants/flow-memory.ts';

interface Run {
  readonly machine: string;
  readonly attempt: number;
  readonly name: string;
  outcome: 'succeeded' | 'failed' | 'unfinished' | 'removed';
  /**
   * When its Job was gone or its deletion was requested, in virtual milliseconds. A run that had not seen its end
   * cannot know it. Undefined while it stays.
   */
  goneAtMs?: number;
  /** When its Job was created, in virtual milliseconds. */
  readonly createdAtMs: number;
  /**
   * The Job's creator could not know about the end of the DaemonJob, or the run that ended it about the Job: one write
   * was on its way while the other looked.
   */
  isOvertaken: boolean;
}

interface Memory {
  readonly runs: Run[];
  /** Its position among all changes of machines. */
  readonly since: number;
  /** When it was deleted, in virtual milliseconds. */
  deletedAtMs?: number;
  /** When its end was recorded, in virtual milliseconds. Undefined while it continues. */
  endedAtMs?: number | undefined;
  /** Names of nodes that were excluded when its end was recorded. */
  excludedAtEnd?: ReadonlySet<string>;
}

export interface DaemonWitnessOptions {
  readonly store: () => ObjectStore;
  /** Virtual milliseconds. */
  readonly nowMs: () => number;
  /** When the server last confirmed to the creating run that the owner was still the decided version. */
  readonly creatorConfirmedAtMs: (job: KubeObject) => number | undefined;
  /** When the creating run began to look, in virtual milliseconds. */
  readonly creatorLookedAtMs: (job: KubeObject) => number | undefined;
  /** When the run that writes the end of the DaemonJob began to look at it, in virtual milliseconds. */
  readonly enderLookedAtMs: (daemonJob: KubeObject) => number | undefined;
}

export class DaemonWitness {
  readonly faults: string[] = [];
  readonly #options: DaemonWitnessOptions;
  readonly #memories = new Map<string, Memory>();
  readonly #machines = new Map<string, string>();
  /** The position of each machine's latest change. */
  readonly #changed = new Map<string, number>();
  #changes = 0;
  readonly #runs = new Map<string, Run>();

  constructor(options: DaemonWitnessOptions) {
    this.#options = options;
  }

  #store(): ObjectStore {
    return this.#options.store();
  }

  onChange(event: StoreEvent): void {
    switch (event.resourceType.plural) {
      case 'nodes': {
        this.#onNode(event);
        return;
      }
      case 'daemonjobs': {
        this.#onDaemonJob(event);
        return;
      }
      case 'events': {
        this.#onEvent(event.object);
        return;
      }
      case 'jobs': {
        if (controllerOf(event.object.metadata)?.kind === 'DaemonJob') this.#onJob(event);
        return;
      }
    }
  }

  #onNode({ type, object }: StoreEvent): void {
    if (type === 'ADDED') this.#machines.set(object.metadata.uid, object.metadata.name);
    this.#changes += 1;
    this.#changed.set(object.metadata.uid, this.#changes);
  }

  #onDaemonJob({ type, object, old }: StoreEvent): void {
    const { uid, name } = object.metadata;
    if (type === 'ADDED') {
      this.#memories.set(uid, { runs: [], since: this.#changes });
    }
    const memory = this.#memories.get(uid);
    const isDeleted = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
    if (isDeleted && memory !== undefined) memory.deletedAtMs ??= this.#options.nowMs();
    const isOver = (object as unknown as DaemonJob).status?.completionTime !== undefined;
    if (memory !== undefined) this.#noteEnd(object, memory, isOver);
    if (type !== 'MODIFIED' || old === undefined) return;
    const before = (old as unknown as DaemonJob).status;
    const { status, spec } = object as unknown as DaemonJob;
    const isTakenBack =
      before?.completionTime !== undefined && status?.completionTime === undefined;
    if (!isTakenBack || spec.completionPolicy === 'Never') return;
    const isJudgedAnew = status?.observedGeneration !== before.observedGeneration;
    if (before.startTime === undefined && isJudgedAnew) return;
    if (status?.retryNonce === before.retryNonce) {
      this.faults.push(`daemonjob-4: ${name} had ended as ${before.state ?? '?'} and goes on`);
    }
  }

  #noteEnd(daemonJob: KubeObject, memory: Memory, isOver: boolean): void {
    if (!isOver) memory.endedAtMs = undefined;
    if (!isOver || memory.endedAtMs !== undefined) return;
    memory.endedAtMs = this.#options.nowMs();
    memory.excludedAtEnd = excludedBy((daemonJob as unknown as DaemonJob).spec);
    const lookedAtMs = this.#options.enderLookedAtMs(daemonJob) ?? Infinity;
    for (const run of memory.runs) run.isOvertaken ||= run.createdAtMs >= lookedAtMs;
  }

  #onEvent(event: KubeObject): void {
    const { involvedObject, reason } = event as KubeObject & {
      readonly reason?: string;
      readonly involvedObject?: { readonly kind?: string; readonly uid?: string };
    };
    if (involvedObject?.kind !== 'DaemonJob') return;
    if (this.#memories.has(involvedObject.uid ?? '')) return;
    this.faults.push(`daemonjob-7: ${reason ?? ''} is on no DaemonJob`);
  }

  #onJob({ type, object }: StoreEvent): void {
    const { uid } = object.metadata;
    if (type === 'ADDED') this.#created(object);
    const run = this.#runs.get(uid);
    if (run === undefined) return;
    if (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined) {
      run.goneAtMs ??= this.#options.nowMs();
    }
    if (hasCondition(object, 'Complete')) run.outcome = 'succeeded';
    else if (hasCondition(object, 'Failed')) run.outcome = 'failed';
    else if (run.goneAtMs !== undefined) run.outcome = 'removed';
  }

  #created(job: KubeObject): void {
    const { metadata } = job;
    const owner = controllerOf(metadata)!;
    const memory = this.#memories.get(owner.uid);
    if (memory === undefined) {
      this.faults.push(`I6: ${metadata.name} belongs to a DaemonJob that never was`);
      return;
    }
    const machine = metadata.labels?.[labels.nodeUid] ?? '';
    const attempt = Number(metadata.labels?.[labels.attempt] ?? 0);
    const run: Run = {
      machine,
      attempt,
      name: metadata.name,
      outcome: 'unfinished',
      createdAtMs: this.#options.nowMs(),
      isOvertaken: this.#isOvertaken(job, memory),
    };
    const first = memory.runs.find(
      (other) => other.machine === machine && other.attempt === attempt,
    );
    if (first !== undefined && !this.#lostItsLock(job, memory, first)) {
      this.faults.push(
        `daemonjob-1: ${metadata.name} is a second Job of attempt ${attempt} on one machine`,
      );
    }
    this.faults.push(...this.#wrongMachine(job, machine));
    memory.runs.push(run);
    this.#runs.set(metadata.uid, run);
    this.faults.push(...this.#tooMany(job));
  }

  /**
   * The first Job or its DaemonJob was deleted after the second Job's creator had last confirmed the DaemonJob. Its
   * name was a lock then and has ceased to be one. Nothing can fence that create. If the DaemonJob is gone, the
   * garbage collector deletes the new Job as well.
   */
  #lostItsLock(job: KubeObject, { deletedAtMs }: Memory, first: Run): boolean {
    const confirmedAtMs = this.#options.creatorConfirmedAtMs(job);
    if (first.goneAtMs === undefined || confirmedAtMs === undefined) return false;
    return Math.max(first.goneAtMs, deletedAtMs ?? first.goneAtMs) > confirmedAtMs;
  }

  /** Nothing can fence a create that is on its way when the DaemonJob ends. */
  #isOvertaken(job: KubeObject, { endedAtMs }: Memory): boolean {
    const confirmedAtMs = this.#options.creatorConfirmedAtMs(job);
    return endedAtMs !== undefined && confirmedAtMs !== undefined && endedAtMs > confirmedAtMs;
  }

  #wrongMachine({ metadata, spec }: KubeObject, machine: string): readonly string[] {
    const node = this.#machines.get(machine);
    if (node === undefined)
      return [`daemonjob-2: ${metadata.name} is for a machine that never was`];
    const isNamed = metadata.annotations?.[annotations.nodeName] === node;
    const isPinned = JSON.stringify(spec).includes(
      `"metadata.name","operator":"In","values":["${node}"]`,
    );
    return isNamed && isPinned ? [] : [`daemonjob-2: ${metadata.name} is not bound to ${node}`];
  }

  /**
   * Among the Jobs that the creating run could know. Nothing can fence a create of another run after its look. The
   * model checks those of the same plan.
   */
  #tooMany(job: KubeObject): readonly string[] {
    const { uid = '' } = controllerOf(job.metadata) ?? {};
    const daemonJob = this.#store().byUid(uid)?.object as DaemonJob | undefined;
    const limit = daemonJob?.spec.parallelism;
    if (daemonJob === undefined || typeof limit !== 'number') return [];
    const lookedAtMs = this.#options.creatorLookedAtMs(job) ?? Infinity;
    const others = this.#store()
      .list(resources.Job)
      .filter(({ metadata }) => metadata.uid !== job.metadata.uid)
      .filter((each) => controllerOf(each.metadata)?.uid === uid && !isFinished(each))
      .filter(({ metadata }) => (this.#runs.get(metadata.uid)?.createdAtMs ?? 0) <= lookedAtMs);
    if (others.length < limit) return [];
    return [
      `daemonjob-3: ${daemonJob.metadata.name} runs on ${others.length + 1} nodes, allowed ${limit}`,
    ];
  }

  /** Whether nothing is pending. */
  isAtRest(): boolean {
    const daemonJobs = this.#store().list(resources.DaemonJob) as unknown as readonly DaemonJob[];
    return daemonJobs.every((daemonJob) => this.#isAtRest(daemonJob));
  }

  /** The DaemonJobs with pending work. */
  unrest(): readonly string[] {
    const daemonJobs = this.#store().list(resources.DaemonJob) as unknown as readonly DaemonJob[];
    return daemonJobs
      .filter((daemonJob) => !this.#isAtRest(daemonJob))
      .map(
        ({ metadata, spec, status }) =>
          `I5: DaemonJob ${metadata.name} did not come to rest: ${JSON.stringify({ metadata, spec, status })}`,
      );
  }

  #isAtRest(daemonJob: DaemonJob): boolean {
    const { metadata, spec, status } = daemonJob;
    const retry = metadata.annotations?.[annotations.retry];
    const waits = this.#waitsForNodes(daemonJob);
    const isEnded = status?.state === 'Succeed' || status?.state === 'Failed' || waits;
    const isEndless = spec.completionPolicy === 'Never';
    return (
      metadata.deletionTimestamp === undefined &&
      status?.observedGeneration === metadata.generation &&
      (retry === undefined || retry === status?.retryNonce) &&
      isEnded &&
      (status?.active ?? 0) === 0 &&
      // An ended one that a policy held is left as it is.
      (spec.suspend !== true || metadata.annotations?.[annotations.held] !== undefined) &&
      (isEndless || waits || spec.ttlSecondsAfterFinished === undefined) &&
      (!isEndless || spec.shutdown !== undefined || this.#uncovered(daemonJob).length === 0)
    );
  }

  /** It has no eligible machine and waits for the first one. */
  #waitsForNodes({ spec, status }: DaemonJob): boolean {
    const excluded = excludedBy(spec);
    const nodes = this.#store().list(resources.Node);
    return (
      status?.reason === 'NoEligibleNodes' &&
      nodes.every(({ metadata }) => excluded.has(metadata.name))
    );
  }

  /** Faults after everything has come to rest. */
  restFaults(): readonly string[] {
    const daemonJobs = this.#store().list(resources.DaemonJob) as unknown as readonly DaemonJob[];
    return daemonJobs.flatMap((daemonJob) => [
      ...this.#leftOver(daemonJob),
      ...this.#uncovered(daemonJob),
      ...this.#miscounted(daemonJob),
    ]);
  }

  #leftOver({ metadata, spec }: DaemonJob): readonly string[] {
    const excluded = excludedBy(spec);
    const runs = this.#memories.get(metadata.uid)?.runs ?? [];
    return runs
      .filter(({ outcome }) => outcome === 'unfinished')
      .map(({ name, machine }) => {
        const node = this.#machines.get(machine) ?? '';
        const why = excluded.has(node) ? 'which is excluded' : 'and nothing ends it';
        return `daemonjob-5: ${metadata.name}: ${name} is left on ${node}, ${why}`;
      });
  }

  /** For an ended one, only machines and specs that have not changed since then are checked. */
  #uncovered({ metadata, spec, status }: DaemonJob): readonly string[] {
    const memory = this.#memories.get(metadata.uid);
    if (memory === undefined || spec.shutdown !== undefined || isCutShort.has(status?.reason ?? ''))
      return [];
    if (spec.failurePolicy === 'FailFast' && (status?.failed ?? 0) > 0) return [];
    const isEndless = spec.completionPolicy === 'Never';
    if (!isEndless && metadata.generation !== 1) return [];
    const excluded = excludedBy(spec);
    const nodes = this.#store().list(resources.Node);
    return nodes
      .filter((node) => !excluded.has(node.metadata.name) && isSelected(spec, node))
      .filter(({ metadata: { uid } }) => isEndless || this.#changed.get(uid)! <= memory.since)
      .filter((node) => !memory.runs.some(({ machine }) => machine === node.metadata.uid))
      .map((node) => `daemonjob-5: ${metadata.name} never ran on ${node.metadata.name}`);
  }

  #miscounted(daemonJob: DaemonJob): readonly string[] {
    const { metadata, spec, status } = daemonJob;
    const memory = this.#memories.get(metadata.uid);
    // If machines came and went, it may have seen others at its end.
    if (memory?.since !== this.#changes) return [];
    if (isRefusedUnstarted(daemonJob)) return [];
    const excluded = new Set([...excludedBy(spec), ...(memory.excludedAtEnd ?? [])]);
    const latest = this.#store()
      .list(resources.Node)
      .map((node) =>
        latestRuns(memory.runs.filter(({ machine }) => machine === node.metadata.uid)),
      );
    const succeeded = latest.filter((runs) => runs.some(hasSucceeded));
    // A node that was excluded at the end or later may or may not count.
    const isCertain = (run: Run) =>
      run.goneAtMs === undefined &&
      !run.isOvertaken &&
      !excluded.has(this.#machines.get(run.machine) ?? '');
    const certain = succeeded.filter((runs) => runs.every(isCertain)).length;
    const said = status?.succeeded ?? 0;
    if (said >= certain && said <= succeeded.length) return [];
    return [
      `daemonjob-6: ${metadata.name} says that ${said} nodes succeeded, and ${certain} to ${succeeded.length} did`,
    ];
  }
}

/** More than one only after a lost lock (daemonjob-1): any of them may be the recorded one. */
function latestRuns(runs: readonly Run[]): readonly Run[] {
  const attempt = Math.max(...runs.map((run) => run.attempt));
  return runs.filter((run) => run.attempt === attempt);
}

function hasSucceeded({ outcome }: Run): boolean {
  return outcome === 'succeeded';
}

function excludedBy({ excludeNodeList = '' }: DaemonJob['spec']): ReadonlySet<string> {
  return new Set(excludeNodeList.split(',').map((name) => name.trim()));
}

/** Nothing was started, or not on every node. */
const isCutShort = new Set(['InvalidSpec', 'DeadlineExceeded', 'Shutdown']);

/**
 * It was edited so that it cannot be run, between its first Jobs and their record. By its record it never started, and
 * an invalid DaemonJob counts no nodes.
 */
function isRefusedUnstarted({ metadata, status }: DaemonJob): boolean {
  const { reason, startTime } = status ?? {};
  return reason === 'InvalidSpec' && startTime === undefined && metadata.generation !== 1;
}

function isSelected({ template }: DaemonJob['spec'], { metadata }: KubeObject): boolean {
  const { nodeSelector = {} } = template.spec as {
    readonly nodeSelector?: Readonly<Record<string, string>>;
  };
  return Object.entries(nodeSelector).every(([key, value]) => metadata.labels?.[key] === value);
}

function isFinished(job: KubeObject): boolean {
  return hasCondition(job, 'Complete') || hasCondition(job, 'Failed');
}
