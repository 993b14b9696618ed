/** Waits on a namespace. A failed wait reports the state of the namespace. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import type { JobObject, PodObject } from './batch-objects.ts';
import { firstValue } from './histories.ts';
import { NamespaceView } from './namespace-view.ts';

/** Longer than any run of these tests on a busy machine, in milliseconds. */
const patienceMs = 100_000;

export class NamespaceWaits extends NamespaceView {
  /** Resolves with the first value of `probe` that is neither undefined nor false. */
  async until<Value>(
    what: string,
    probe: () => Value | undefined | false,
    withinMs = patienceMs,
  ): Promise<Value> {
    const found = await firstValue(this.histories, probe, withinMs);
    if (found !== undefined && found !== false) return found;
    const state = await this.describe();
    throw new Error(`not within ${withinMs} ms in ${this.namespace}: ${what}\n${state}`);
  }

  untilState(flow: string, state: string, withinMs?: number): Promise<JobFlow> {
    return this.until(
      `flow ${flow} is ${state}`,
      () => {
        const object = this.flow(flow);
        return object?.status?.state === state ? object : undefined;
      },
      withinMs,
    );
  }

  /** The DaemonJob when it matches. */
  untilDaemonJob(
    name: string,
    what: string,
    test: (daemonJob: DaemonJob) => boolean,
    withinMs?: number,
  ): Promise<DaemonJob> {
    return this.until(
      `DaemonJob ${name} ${what}`,
      () => {
        const object = this.daemonJob(name);
        return object !== undefined && test(object) ? object : undefined;
      },
      withinMs,
    );
  }

  untilStep(flow: string, step: string, state: string, withinMs?: number): Promise<StepRecord> {
    return this.until(
      `step ${step} of ${flow} is ${state}`,
      () => {
        const entry = this.step(flow, step);
        return entry?.state === state ? entry : undefined;
      },
      withinMs,
    );
  }

  untilCondition(flow: string, type: string, reason: string, withinMs?: number) {
    return this.until(
      `condition ${type} of ${flow} has the reason ${reason}`,
      () => {
        const condition = this.condition(flow, type);
        return condition?.reason === reason ? condition : undefined;
      },
      withinMs,
    );
  }

  untilJob(
    name: string,
    what: string,
    test: (job: JobObject) => boolean,
    withinMs?: number,
  ): Promise<JobObject> {
    return this.until(
      `Job ${name} ${what}`,
      () => {
        const job = this.job(name);
        return job !== undefined && test(job) ? job : undefined;
      },
      withinMs,
    );
  }

  untilGone(jobName: string, withinMs?: number): Promise<boolean> {
    const isGone = () => this.job(jobName) === undefined;
    return this.until<boolean>(`Job ${jobName} is gone`, isGone, withinMs);
  }

  /** This Job's running Pod that is not being deleted. */
  untilRunning(jobName: string, withinMs?: number): Promise<PodObject> {
    return this.until(
      `a Pod of ${jobName} runs`,
      () =>
        this.pods(jobName).find(
          ({ metadata, status }) =>
            status?.phase === 'Running' && metadata.deletionTimestamp === undefined,
        ),
      withinMs,
    );
  }

  /** Fails as soon as `holds` returns false within the next `forMs` milliseconds. */
  async throughout(forMs: number, what: string, holds: () => boolean): Promise<void> {
    const broken = await firstValue(this.histories, () => !holds(), forMs);
    if (broken !== true) return;
    throw new Error(`no longer true in ${this.namespace}: ${what}\n${await this.describe()}`);
  }
}
