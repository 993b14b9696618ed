/**
 * The Jobs of a scenario: the Job controller's writes in their real order (KEP-3998, KEP-4368: the fate
 * first, the end when the Pods are gone). Only Pods with a problem exist; others are not read.
 */
import type { KubeObject } from '#shared/domain/objects.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { resources } from '#shared/domain/resources.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { Clock } from '#shared/domain/clock.ts';
import type { ObjectStore, StoreEvent } from '#sandbox';
import type { StepPlan } from '../scenario.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimulatedPods } from './simulated-pods.ts';
import type { Life, Timeline } from './timeline.ts';

export interface JobControllerOptions {
  readonly store: ObjectStore;
  readonly pods: SimulatedPods;
  readonly timeline: Timeline;
  /** The controllers' life, stopped during their outages. */
  readonly life: Life;
  readonly clock: Clock;
  readonly random: SeededRandom;
  /** Whether it also writes its own bookkeeping. */
  readonly heartbeats: boolean;
  readonly planOf: (job: KubeObject) => JobPlan | undefined;
}

/** The planned course of a Job. */
export type JobPlan = Pick<StepPlan, 'failures' | 'runMs' | 'trouble' | 'exitCode'> & {
  /** Its Pods are counted. Absent: a Pod without a problem is left out. */
  readonly showsPods?: true;
};

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

interface JobStatus {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly uncountedTerminatedPods?: { readonly failed: readonly string[] };
  readonly conditions?: readonly Condition[];
}

export class JobController {
  readonly #options: JobControllerOptions;

  constructor(options: JobControllerOptions) {
    this.#options = options;
  }

  onChange(event: StoreEvent): void {
    if (event.resourceType.plural !== 'jobs' || event.type === 'DELETED') return;
    const { object, old } = event;
    if (event.type === 'ADDED' || isSuspended(object) !== (old !== undefined && isSuspended(old))) {
      this.#after(this.#delay(), object, (job) => this.#admit(job));
    }
  }

  /** A node vanishes with all its Pods: they count as failed, and new ones start over. */
  loseNode(): void {
    for (const job of this.#options.store.list(resources.Job)) this.losePodOf(job);
  }

  /** The machine is gone: its Jobs have failed, or wait for it for ever. */
  loseJobsOn(node: string): void {
    for (const job of this.#options.store.list(resources.Job)) {
      const { active, startTime, failed = 0, conditions = [] } = statusOf(job);
      if (job.metadata.annotations?.[annotations.nodeName] !== node || active !== 1) continue;
      if (job.metadata.deletionTimestamp !== undefined) continue;
      this.#options.pods.remove(job);
      const lost = { ...started(startTime), failed: failed + 1, conditions };
      if (this.#options.random.chance(0.5)) {
        const fate = this.#with(lost, 'FailureTarget', 'True', 'BackoffLimitExceeded', failureText);
        this.#write(job, { ...lost, failed, terminating: 1, conditions: fate });
        this.#after(this.#delay(), job, (later) => this.#end(later));
      } else {
        this.#write(job, lost);
        this.#after(this.#delay(), job, (later) => this.#replace(later));
      }
    }
  }

  /** Its Pod is deleted: it counts as failed, and a new one starts over. */
  losePodOf(job: KubeObject): void {
    const { active, startTime, failed = 0, conditions = [] } = statusOf(job);
    if (active !== 1 || job.metadata.deletionTimestamp !== undefined) return;
    this.#options.pods.remove(job);
    this.#write(job, { ...started(startTime), failed: failed + 1, conditions });
    this.#after(this.#delay(), job, (later) => this.#replace(later));
  }

  #replace(job: KubeObject): void {
    const status = statusOf(job);
    if (status.startTime === undefined || status.active === 1) return;
    if (isSuspended(job) || isFinished(status) || fateOf(status) !== undefined) return;
    this.#run(job, { ...status, active: 1 });
  }

  #admit(job: KubeObject): void {
    const status = statusOf(job);
    if (isFinished(status)) return;
    if (isSuspended(job)) this.#suspend(job, status);
    else if (status.startTime === undefined) this.#begin(job, status);
    // Its Pod was lost, and the Job was suspended and resumed before a new one was created.
    else if (status.active === undefined) this.#replace(job);
  }

  #suspend(job: KubeObject, status: JobStatus): void {
    if (fateOf(status) !== undefined || holds(status, 'Suspended')) return;
    const conditions = this.#with(status, 'Suspended', 'True', 'JobSuspended', 'Job suspended');
    this.#options.pods.remove(job);
    this.#write(job, { conditions });
  }

  #begin(job: KubeObject, status: JobStatus): void {
    const { clock } = this.#options;
    const conditions = holds(status, 'Suspended')
      ? this.#with(status, 'Suspended', 'False', 'JobResumed', 'Job resumed')
      : (status.conditions ?? []);
    this.#run(job, { startTime: rfc3339(clock.now()), active: 1, conditions });
  }

  /** A Pod is created, or would be if it were permitted. */
  #run(job: KubeObject, begun: JobStatus): void {
    const { trouble } = this.#planOf(job);
    if (trouble === undefined) {
      this.#runs(job, begun);
      return;
    }
    const { kind, forMs } = trouble;
    const held = kind === 'noPod' ? { ...begun, active: 0 } : begun;
    this.#write(job, held);
    if (kind === 'noPod') {
      this.#options.pods.refuse(job);
      this.#whileHeld(forMs / 2, job, held, (later) => this.#options.pods.refuse(later));
    } else {
      this.#options.pods.hold(job, kind);
      this.#whileHeld(forMs / 2, job, held, (later) => this.#options.pods.rephrase(later, kind));
    }
    this.#whileHeld(forMs, job, held, (later) => {
      this.#options.pods.run(later);
      this.#runs(later, { ...statusOf(later), active: 1, ready: 1 });
    });
  }

  /** Unless it was suspended meanwhile, or restarted on another node. */
  #whileHeld(
    delayMs: number,
    job: KubeObject,
    held: JobStatus,
    act: (job: KubeObject) => void,
  ): void {
    this.#after(delayMs, job, (later) => {
      const { startTime, failed, active } = statusOf(later);
      const isHeld =
        startTime === held.startTime && failed === held.failed && active === held.active;
      if (isHeld && !holds(statusOf(later), 'Suspended')) act(later);
    });
  }

  /** A Pod runs from now on. */
  #runs(job: KubeObject, begun: JobStatus): void {
    this.#write(job, begun);
    if (this.#options.random.chance(0.3)) {
      this.#after(this.#delay(), job, (later) => this.#ready(later));
    }
    const { runMs, showsPods } = this.#planOf(job);
    if (showsPods === true) {
      this.#options.pods.show(job);
      this.#after(this.#delay(), job, (later) => this.#options.pods.run(later));
    }
    if (this.#options.heartbeats) this.#after(runMs / 2, job, (later) => this.#beat(later));
    this.#after(runMs, job, (later) => this.#decideFate(later, begun));
  }

  #ready(job: KubeObject): void {
    const status = statusOf(job);
    if (status.active === 1) this.#write(job, { ...status, ready: 1 });
  }

  #beat(job: KubeObject): void {
    const status = statusOf(job);
    if (status.active !== 1 || fateOf(status) !== undefined) return;
    this.#write(job, { ...status, uncountedTerminatedPods: { failed: [] } });
  }

  /** The fate is certain, although the Pod has not ended yet. */
  #decideFate(job: KubeObject, begun: JobStatus): void {
    const status = statusOf(job);
    // Suspended meanwhile and perhaps resumed, or restarted on another node.
    if (status.startTime !== begun.startTime || status.failed !== begun.failed) return;
    if (fateOf(status) !== undefined || isFinished(status)) return;
    if (isSuspended(job)) {
      // The suspension is not handled yet and may be reverted; the Pod has ended anyway.
      this.#after(this.#delay(), job, (later) => this.#decideFate(later, begun));
      return;
    }
    const { failures, exitCode, showsPods } = this.#planOf(job);
    const fails = Number(job.metadata.labels?.[labels.attempt] ?? 0) < failures;
    if (fails && exitCode !== undefined) this.#options.pods.fail(job, exitCode);
    else if (showsPods === true) this.#options.pods.succeed(job);
    const conditions = fails
      ? this.#with(status, 'FailureTarget', 'True', 'BackoffLimitExceeded', failureText)
      : this.#with(status, 'SuccessCriteriaMet', 'True', 'CompletionsReached', successText);
    this.#write(job, { ...counted(status), terminating: 1, conditions });
    this.#after(this.#delay(), job, (later) => this.#end(later));
  }

  #end(job: KubeObject): void {
    const status = statusOf(job);
    const rest = counted(status);
    switch (fateOf(status)) {
      case 'SuccessCriteriaMet': {
        this.#write(job, {
          ...rest,
          succeeded: 1,
          completionTime: rfc3339(this.#options.clock.now()),
          conditions: this.#with(status, 'Complete', 'True', 'CompletionsReached', successText),
        });
        return;
      }
      case 'FailureTarget': {
        this.#write(job, {
          ...rest,
          failed: (status.failed ?? 0) + 1,
          conditions: this.#with(status, 'Failed', 'True', 'BackoffLimitExceeded', failureText),
        });
        return;
      }
      case undefined:
        return;
    }
  }

  #write(job: KubeObject, status: JobStatus): void {
    const { store } = this.#options;
    const type = store.byUid(job.metadata.uid)?.type;
    if (type !== undefined) store.put(type, { ...job, status: status });
  }

  /** On the Job's state at that time, unless it is gone or in deletion. */
  #after(delayMs: number, job: KubeObject, act: (job: KubeObject) => void): void {
    const { timeline, life, store } = this.#options;
    const { uid, name } = job.metadata;
    timeline.after(delayMs, life, `job controller ${name}`, () => {
      const now = store.byUid(uid)?.object;
      if (now !== undefined && now.metadata.deletionTimestamp === undefined) act(now);
    });
  }

  #delay(): number {
    return this.#options.random.between(1, 60);
  }

  #planOf(job: KubeObject): JobPlan {
    return this.#options.planOf(job) ?? { failures: 0, runMs: 500 };
  }

  #with(
    { conditions = [] }: JobStatus,
    type: string,
    status: Condition['status'],
    reason: string,
    message: string,
  ): readonly Condition[] {
    const lastTransitionTime = rfc3339(this.#options.clock.now());
    const others = conditions.filter((condition) => condition.type !== type);
    return [...others, { type, status, reason, message, lastTransitionTime }];
  }
}

const successText = 'Reached expected number of succeeded pods';
const failureText = 'Job has reached the specified backoff limit';

function statusOf(job: KubeObject): JobStatus {
  return job.status ?? {};
}

function isSuspended(job: KubeObject): boolean {
  return (job.spec as { readonly suspend?: boolean } | undefined)?.suspend === true;
}

function holds({ conditions = [] }: JobStatus, type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

function isFinished(status: JobStatus): boolean {
  return holds(status, 'Complete') || holds(status, 'Failed');
}

function fateOf(status: JobStatus): 'SuccessCriteriaMet' | 'FailureTarget' | undefined {
  if (isFinished(status)) return undefined;
  if (holds(status, 'SuccessCriteriaMet')) return 'SuccessCriteriaMet';
  return holds(status, 'FailureTarget') ? 'FailureTarget' : undefined;
}

function started(startTime: string | undefined): Pick<JobStatus, 'startTime'> {
  return startTime === undefined ? {} : { startTime };
}

function counted({ startTime, failed }: JobStatus): Pick<JobStatus, 'startTime' | 'failed'> {
  return { ...started(startTime), ...(failed === undefined ? {} : { failed }) };
}
