/** Checks every write at its commit. Knows the writing process and its decision. */
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import { parseTime } from '#shared/domain/time.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import type { JudgedKind } from '../model/kind-model.ts';
import { Models } from '../model/models.ts';
import { asksFor } from '../model/own-writes.ts';
import type { Pass } from '../model/kind-model.ts';
import type { Machine } from '../world/machine.ts';
import type { DatedAnswer, RequestName, WriteWitness } from '../world/simulated-client.ts';
import type { Life, Timeline } from '../world/timeline.ts';
import { changeFaults } from './changed-flow.ts';
import {
  type Creation,
  creationVerdict,
  type CreationVerdict,
  type Overtaking,
} from './created-job.ts';
import { DecisionTimes } from './decision-time.ts';
import { HeldNames } from './held-names.ts';
import { forgottenJobs } from './forgotten-jobs.ts';
import { lookedAtMs, PassBook } from './pass-book.ts';
import {
  conditionStampMs,
  FlowMemory,
  hasCondition,
  isOver,
  jobMemory,
  type JobMemory,
  recordsOf,
} from './flow-memory.ts';

export interface WitnessOptions {
  readonly timeline: Timeline;
  readonly server: Machine;
  readonly store: () => ObjectStore;
  /** Number of strikes by faults, events and users so far. */
  readonly struck: () => number;
  /** The kinds whose decisions are judged. */
  readonly kinds: readonly JudgedKind[];
}

export class Witness implements WriteWitness {
  readonly faults: string[] = [];
  /**
   * Millrace's writes, without Events and without Jobs that lost their label. A run with a late view may give these
   * their TTL at any time.
   */
  writes = 0;
  /** The last writer and its write. */
  lastWrite = '';
  passes = 0;
  /** Writes of the election. */
  leaseWrites = 0;
  /** Jobs created against a rule by a fact that could not be known yet (see created-job.ts). */
  readonly overtaken: Partial<Record<Overtaking, number>> = {};
  readonly memories = new Map<string, FlowMemory>();
  readonly models: Models;
  readonly #timeline: Timeline;
  readonly #store: () => ObjectStore;
  readonly #book: PassBook;
  /** The resources that functions decide about. */
  readonly #decidedAbout: ReadonlySet<string>;
  /** Whether a function decides about objects other than its own. */
  readonly #governs: boolean;
  readonly #heldNames: HeldNames;
  readonly #times: DecisionTimes;
  #writer: Life | undefined;
  #changesOfLost = 0;

  constructor({ timeline, server, store, struck, kinds }: WitnessOptions) {
    this.#timeline = timeline;
    this.#store = store;
    this.#book = new PassBook(timeline);
    this.models = new Models(kinds);
    this.#decidedAbout = new Set(
      kinds.flatMap(({ fn }) => fn.subscription.decides.map(({ kind }) => kind)),
    );
    this.#governs = kinds.some(({ reportsOn }) => reportsOn !== undefined);
    this.#heldNames = new HeldNames(struck);
    this.#times = new DecisionTimes(timeline, server);
  }

  /** Whether the current commit is Millrace's write. */
  get isWriting(): boolean {
    return this.#writer !== undefined;
  }

  heard(life: Life, answer: DatedAnswer): void {
    this.#times.heard(life, answer);
  }

  writing<Answer>(life: Life, request: RequestName, send: () => Promise<Answer>): Promise<Answer> {
    const { verb, resource } = request;
    this.#blame(...this.#heldNames.faultsOf(request, this.#store(), this.#timeline.nowMs));
    this.#writer = life;
    const changesOfLost = this.#changesOfLost;
    const revision = this.#store().revision;
    try {
      return send();
    } finally {
      this.#writer = undefined;
      const hasWritten = this.#store().revision !== revision;
      const isOnLost = this.#changesOfLost !== changesOfLost;
      if (resource.kind === 'Lease' && hasWritten) this.leaseWrites += 1;
      else if (resource.kind !== 'Event' && hasWritten && !isOnLost) {
        this.writes += 1;
        this.lastWrite = `${life.name} ${verb} ${resource.plural}`;
      }
    }
  }

  answered(life: Life, { resource }: RequestName, answer: unknown): void {
    const object = answer as KubeObject | undefined;
    if (object !== undefined && this.#decidedAbout.has(resource.kind))
      this.#book.answered(life, object);
  }

  refused(request: RequestName): void {
    this.models.onRefused(request);
  }

  /** Another function's write to the same object does not count as the function's own. */
  knows(life: Life, { manager }: RequestName, answer: unknown): void {
    const object = answer as KubeObject | undefined;
    if (object === undefined || manager === undefined) return;
    if (this.#decidedAbout.has(object.kind)) this.#book.knows(life, manager, object);
  }

  /** The version that a function of the process knows by its own write. */
  knownVersion(life: Life, fn: string, uid: string): string | undefined {
    return this.#book.knownVersion(life, `millrace.dev/${fn}`, uid);
  }

  onPass(pass: Pass): void {
    this.passes += 1;
    this.#blame(...this.#book.enter(pass), ...this.#times.faultsOf(pass));
    this.#part(this.models.faultsOf(pass));
    this.#noteCreates(pass);
  }

  #noteCreates({ decision, nowMs, about }: Pass): void {
    const decidedMs = this.memories.get(about.uid)?.decidedMs;
    for (const operation of decision.plan.flat()) {
      if (operation.kind !== 'create') continue;
      const { name } = operation.object.metadata;
      decidedMs?.set(name, Math.max(nowMs, decidedMs.get(name) ?? nowMs));
    }
  }

  onChange(event: StoreEvent): void {
    this.#part(this.models.onChange(event));
    this.#undecided(event);
    switch (event.resourceType.plural) {
      case 'jobflows': {
        this.#onFlow(event);
        return;
      }
      case 'jobs': {
        this.#onJob(event);
        return;
      }
    }
  }

  /** Every change by a process was decided, for that object and version. */
  #undecided({ type, object, old }: StoreEvent): void {
    if (this.#writer === undefined || old === undefined) return;
    const { kind, metadata } = object;
    const isRoot = this.#decidedAbout.has(kind);
    if (!isRoot && kind !== 'Job') return;
    const uid = isRoot ? metadata.uid : controllerOf(metadata)?.uid;
    const asks = (operation: Operation): boolean => asksFor(operation, old);
    if (this.#passesOf(uid ?? '', asks).length > 0) return;
    if (this.#governs && this.#book.anyPassOf(this.#writer, asks)) return;
    const version = `${metadata.name} at ${old.metadata.resourceVersion}`;
    this.#part([`model, own writes: ${this.#writer.name} ${type} ${version} and never decided to`]);
  }

  #onFlow({ type, object, old }: StoreEvent): void {
    if (type === 'ADDED') {
      this.memories.set(object.metadata.uid, new FlowMemory(object.metadata.uid));
      return;
    }
    this.#book.superseded(old ?? object);
    const memory = this.memories.get(object.metadata.uid);
    if (memory === undefined || old === undefined) return;
    const before = old as unknown as JobFlow;
    const after = object as unknown as JobFlow;
    if (type === 'DELETED') {
      if (this.#writer !== undefined) this.#expiry(before, memory);
      return;
    }
    if (after.status?.retryNonce !== before.status?.retryNonce) memory.manualRetries += 1;
    this.#lateStart(before, after);
    if (after.status?.completionTime !== undefined) {
      const { completionTime } = after.status;
      const ending = this.#latestPass(memory.uid, records({ completionTime }));
      memory.endDecidedMs ??= ending?.nowMs;
      const isEnd = before.status?.completionTime === undefined;
      for (const job of memory.jobs) job.isStray ||= isEnd && isUnknownTo(ending, job);
      if (isEnd && ending !== undefined) this.#onEnd(after, memory, ending);
    }
    this.#blame(...changeFaults({ before, after, memory }));
  }

  #onEnd(flow: JobFlow, memory: FlowMemory, ending: Pass): void {
    const isFound = ({ uid }: JobMemory): boolean =>
      this.#store().byUid(uid)?.object.metadata.labels?.[labels.ownerUid] === memory.uid;
    this.#blame(...forgottenJobs({ flow, memory, lookedAtMs: lookedAtMs(ending), isFound }));
  }

  /** I18: a flow does not fail before its start deadline, by the time of the decision. */
  #lateStart(before: JobFlow, after: JobFlow): void {
    const reason = 'StartDeadlineExceeded';
    if (after.status?.reason !== reason || before.status?.reason === reason) return;
    const { metadata, spec } = after;
    const turns = (before.status?.conditions ?? []).flatMap(
      ({ type, status, lastTransitionTime }) =>
        ['Suspended', 'Failed'].includes(type) && status === 'False' ? [lastTransitionTime] : [],
    );
    const times = [metadata.creationTimestamp, ...turns].map((time) => parseTime(time) ?? 0);
    const dueMs = Math.max(...times) + (spec.startDeadlineSeconds ?? Infinity) * 1_000;
    const pass = this.#latestPass(metadata.uid, records({ reason }));
    if (!((pass?.nowMs ?? 0) >= dueMs)) {
      this.#blame(`I18: flow ${metadata.name} was given up before its deadline`);
    }
  }

  /**
   * I18: a flow is not deleted before its time, by the time of the decision. Rule 14: nor if a retry was requested.
   */
  #expiry(flow: JobFlow, { lastEndStampMs, endDecidedMs }: FlowMemory): void {
    const { metadata, spec, status } = flow;
    const isWanted = recordsOf(flow).some(({ state }) => state === 'Failed' || state === 'Skipped');
    if (isWanted && hasPendingRetry(flow)) {
      this.#blame(`rule 14: flow ${metadata.name} was removed although a retry was asked for`);
    }
    const ttlMs = (spec.ttlSecondsAfterFinished ?? Infinity) * 1_000;
    const recordedMs = parseTime(status?.completionTime);
    // The controllers' clock may be ahead of the server's.
    const leastMs = Math.min(lastEndStampMs ?? -Infinity, wholeSeconds(endDecidedMs ?? Infinity));
    const endMs = Math.max(recordedMs ?? Infinity, leastMs);
    const pass = this.#latestPass(metadata.uid, deletesFlow);
    const earlyMs = endMs + ttlMs - (pass?.nowMs ?? 0);
    if (!(earlyMs <= 0)) {
      this.#blame(`I18: flow ${metadata.name} was removed ${earlyMs} ms before its time`);
    }
  }

  #onJob({ type, object, old }: StoreEvent): void {
    const owner = controllerOf(object.metadata);
    if (object.metadata.labels?.[labels.ownerUid] === undefined) this.#changesOfLost += 1;
    if (owner?.kind !== 'JobFlow') return;
    const memory = this.memories.get(owner.uid);
    if (memory === undefined) {
      this.#blame(`I6: ${object.metadata.name} belongs to a flow that never was`);
      return;
    }
    if (type === 'ADDED') {
      this.#created(object, memory);
      return;
    }
    const job = memory.jobOf(object.metadata.uid);
    if (job === undefined) return;
    if (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined) job.isDeleted = true;
    if (type === 'DELETED') job.goneAtMs = this.#timeline.nowMs;
    job.isLate &&= (object.spec as { readonly suspend?: boolean }).suspend !== true;
    this.#ended(object, job, memory);
    if (this.#writer === undefined || old === undefined) return;
    this.#ttlTooSoon(object, old, memory);
    this.#blame(...gateOpened(object, old));
  }

  #ended(object: KubeObject, job: JobMemory, memory: FlowMemory): void {
    const isEnded = job.isComplete || job.failedAtMs !== undefined;
    const { nowMs } = this.#timeline;
    job.isComplete ||= hasCondition(object, 'Complete');
    job.meetsCriteria ||= hasCondition(object, 'SuccessCriteriaMet');
    if (job.isComplete) job.completedAtMs ??= nowMs;
    if (hasCondition(object, 'Failed')) job.failedAtMs ??= nowMs;
    job.failedStampMs ??= conditionStampMs(object, 'Failed');
    if (isEnded || job.isStray || (!job.isComplete && job.failedAtMs === undefined)) return;
    memory.ends.push({ job, stampMs: job.failedStampMs ?? conditionStampMs(object, 'Complete') });
    memory.endDecidedMs = undefined;
  }

  #created(job: KubeObject, memory: FlowMemory): void {
    const created = jobMemory(job, this.#timeline.nowMs, this.#writer);
    const flow = this.#flow(memory.uid);
    const verdict = this.#creationVerdict({ job, created, memory, flow });
    for (const kind of verdict.overtakenBy) {
      this.overtaken[kind] = (this.overtaken[kind] ?? 0) + 1;
    }
    created.isStray =
      memory.attempt(created.step, created.attempt) !== undefined ||
      (verdict.overtakenBy.length > 0 && flow?.status?.completionTime !== undefined);
    created.isLate = verdict.overtakenBy.length > 0 && flow?.spec.suspend === true;
    this.#blame(...verdict.faults);
    memory.jobs.push(created);
  }

  /** Law 3: the result is recorded before the Job may vanish. */
  #ttlTooSoon(job: KubeObject, old: KubeObject, memory: FlowMemory): void {
    if (ttlOf(job) === undefined || ttlOf(old) !== undefined) return;
    const { step, attempt } = jobMemory(job, 0);
    const flow = this.#flow(memory.uid);
    // Its record is gone with the flow.
    if (flow === undefined) return;
    const record = recordsOf(flow).find(({ name }) => name === step);
    const current = record?.attempt ?? 0;
    const isRecorded = attempt < current || (attempt === current && isOver(record?.state));
    // An attempt after the recorded one is not awaited if step or flow is over.
    const isStray =
      attempt > current &&
      (record?.state === 'Succeed' || flow.status?.completionTime !== undefined);
    if (isStray) return;
    if (!isRecorded)
      this.#blame(`law 3: ${job.metadata.name} may vanish before its result is on record`);
  }

  /**
   * Judged by the decision of the writing process that asked for this Job. Several may be running. The judge takes the
   * latest that had heard from the server, else the latest, because any of them may have created it.
   */
  #creationVerdict(creation: Pick<Creation, 'job' | 'created' | 'memory' | 'flow'>) {
    const { job, memory } = creation;
    const asking = this.#passesOf(
      memory.uid,
      (operation) =>
        operation.kind === 'create' && operation.object.metadata.name === job.metadata.name,
    );
    const verdictBy = (pass: Pass | undefined): CreationVerdict =>
      creationVerdict({
        ...creation,
        pass: pass as Pass<FlowSnapshot> | undefined,
        confirmedAtMs: this.#book.confirmedAtMs(pass),
        supersededAtMs: this.#book.supersededAtMs(pass),
      });
    const answered = asking.findLast((pass) => this.#book.answeredAtMs(pass) !== undefined);
    const verdict = verdictBy(answered ?? asking.at(-1));
    return verdict.faults.length === 0 || answered === undefined
      ? verdict
      : verdictBy(asking.at(-1));
  }

  /** The writing process's latest decision with such an operation. */
  #latestPass(uid: string, asksFor: (operation: Operation) => boolean): Pass | undefined {
    return this.#passesOf(uid, asksFor).at(-1);
  }

  #passesOf(uid: string, asksFor: (operation: Operation) => boolean): readonly Pass[] {
    return this.#book.passesOf(this.#writer, uid, asksFor);
  }

  /**
   * When the server last confirmed to the creating run that the owner was still the decided version, in virtual
   * milliseconds. Undefined: never since it began to observe.
   */
  creatorConfirmedAtMs(created: KubeObject): number | undefined {
    return this.#book.confirmedAtMs(this.#creatingPass(created));
  }

  /** When the creating run began to look at the owner, in virtual milliseconds. */
  creatorLookedAtMs(created: KubeObject): number | undefined {
    const pass = this.#creatingPass(created);
    return pass && lookedAtMs(pass);
  }

  #creatingPass({ metadata }: KubeObject): Pass | undefined {
    const asking = this.#passesOf(
      controllerOf(metadata)?.uid ?? '',
      (operation) =>
        operation.kind === 'create' && operation.object.metadata.name === metadata.name,
    );
    return asking.at(-1);
  }

  /**
   * A Job of a flow that another run created unknown to the flow's end, or whose creator did not know of the end or the
   * suspension.
   */
  isStray({ metadata }: KubeObject): boolean {
    const jobs = this.memories.get(controllerOf(metadata)?.uid ?? '')?.jobs;
    const job = jobs?.find(({ uid }) => uid === metadata.uid);
    return job !== undefined && (job.isStray || job.isLate);
  }

  /** When the run that writes the end of the object began to look at it, in virtual milliseconds. */
  enderLookedAtMs({ metadata }: KubeObject): number | undefined {
    return this.#latestPass(metadata.uid, recordsEnd)?.sinceMs;
  }

  /** When the decision behind the current status write began to look at the object, in virtual milliseconds. */
  writerLookedAtMs({ metadata: { uid } }: Pick<KubeObject, 'metadata'>): number | undefined {
    const pass = this.#latestPass(uid, ({ kind }) => kind === 'patchStatus');
    return pass && lookedAtMs(pass);
  }

  #flow(uid: string): JobFlow | undefined {
    return this.#store().byUid(uid)?.object as JobFlow | undefined;
  }

  /** Reports the faults with the event at which run and model differ. */
  #part(faults: readonly string[]): void {
    if (faults.length === 0) return;
    const seconds = (this.#timeline.nowMs / 1_000).toFixed(3);
    const last = this.lastWrite === '' ? 'nothing' : this.lastWrite;
    this.#blame(
      ...faults.map((fault) => `${fault}; they part at ${seconds} s, last written: ${last}`),
    );
  }

  #blame(...faults: readonly string[]): void {
    this.faults.push(...faults);
  }
}

function recordsEnd(operation: Operation): boolean {
  return operation.kind === 'patchStatus' && operation.status['completionTime'] !== undefined;
}

export function hasPendingRetry({ metadata, status }: JobFlow): boolean {
  const nonce = metadata.annotations?.[annotations.retry];
  return nonce !== undefined && nonce !== '' && nonce !== status?.retryNonce;
}

/** Another run created it after the ending run had looked, which therefore could not see it. */
function isUnknownTo(ending: Pass | undefined, { createdAtMs, name }: JobMemory): boolean {
  if (ending === undefined || createdAtMs <= lookedAtMs(ending)) return false;
  const { jobs } = ending.snapshot as FlowSnapshot;
  return !jobs.some((job) => job.name === name);
}

/** Rule 15: only a user resumes what a user suspended. */
function gateOpened(job: KubeObject, old: KubeObject): readonly string[] {
  const isOurs = old.metadata.annotations?.[annotations.suspendedBy] !== undefined;
  const isOpened = isSuspended(old) && !isSuspended(job);
  return isOpened && !isOurs
    ? [`rule 15: resumed ${job.metadata.name}, which a person suspended`]
    : [];
}

/** Of several running decisions, those with this content: another one may use a later time. */
function records(said: Partial<JobFlowStatus>): (operation: Operation) => boolean {
  return (operation) =>
    operation.kind === 'patchStatus' &&
    Object.entries(said).every(([field, value]) => operation.status[field] === value);
}

/** In the API's format of times. */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

function deletesFlow(operation: Operation): boolean {
  return operation.kind === 'delete' && operation.resource.kind === 'JobFlow';
}

function isSuspended({ spec }: KubeObject): boolean {
  return (spec as { readonly suspend?: boolean }).suspend === true;
}

function ttlOf({ spec }: KubeObject): number | undefined {
  return (spec as { readonly ttlSecondsAfterFinished?: number }).ttlSecondsAfterFinished;
}
