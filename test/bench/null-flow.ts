/**
 * A flow in the null controller: the Jobs of its steps, and a status of Millrace's size. It knows no
 * failure, retry, suspension, template or deletion.
 */
import type { FlowStep, JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import { labels } from '#shared/domain/labels.ts';
import type { JsonObject, KubeObject, NewObject } from '#shared/domain/objects.ts';

/** More records do not fit into one object beside the spec; only counts are written then. */
const maxRecordedSteps = 1_000;

export class NullFlow {
  readonly flow: JobFlow;
  readonly #startTime: string;
  readonly #steps: ReadonlyMap<string, FlowStep>;
  readonly #open = new Map<string, number>();
  readonly #children = new Map<string, string[]>();
  readonly #records = new Map<string, StepRecord>();
  #ready: string[] = [];
  #succeeded = 0;
  #startIsWritten = false;

  constructor(flow: JobFlow, startTime: string) {
    this.flow = flow;
    this.#startTime = startTime;
    this.#steps = new Map(flow.spec.flows.map((step) => [step.name, step]));
    for (const { name, dependencies = [] } of flow.spec.flows) {
      const message = `waiting for ${dependencies.slice(0, 8).join(', ')}`;
      this.#records.set(name, { name, state: 'Waiting', reason: 'DependenciesPending', message });
      this.#open.set(name, dependencies.length);
      if (dependencies.length === 0) this.#ready.push(name);
      for (const parent of dependencies) {
        const children = this.#children.get(parent);
        if (children === undefined) this.#children.set(parent, [name]);
        else children.push(name);
      }
    }
  }

  get isOver(): boolean {
    return this.#succeeded === this.#records.size;
  }

  /** The Jobs of all steps whose dependencies are complete, each returned once. */
  takeReady(): readonly NewObject[] {
    const names = this.#ready;
    this.#ready = [];
    return names.map((name) => {
      const jobName = `${this.flow.metadata.name}-${name}`;
      this.#records.set(name, { name, state: 'Pending', jobName, attempt: 0 });
      return this.#job(name, jobName);
    });
  }

  /** A Job of this flow is complete. Call it once for each. */
  complete(step: string, job: KubeObject): void {
    const { startTime, completionTime } = job.status as Pick<
      StepRecord,
      'startTime' | 'completionTime'
    >;
    this.#records.set(step, {
      name: step,
      state: 'Succeed',
      jobName: job.metadata.name,
      jobUID: job.metadata.uid,
      attempt: 0,
      ...(startTime === undefined ? {} : { startTime }),
      ...(completionTime === undefined ? {} : { completionTime }),
    });
    this.#succeeded += 1;
    for (const child of this.#children.get(step) ?? []) {
      const open = (this.#open.get(child) ?? 0) - 1;
      this.#open.set(child, open);
      if (open === 0) this.#ready.push(child);
    }
  }

  /** The change of the status since the last call, as a merge patch. */
  statusPatch(now: string): JsonObject {
    const records = [...this.#records.values()];
    const status = {
      progress: `${this.#succeeded}/${records.length}`,
      running: records.filter(({ state }) => state === 'Pending').length,
      ...(records.length > maxRecordedSteps ? {} : { jobStatusList: records }),
      ...(this.#startIsWritten ? {} : this.#start()),
      ...(this.isOver ? this.#end(now) : {}),
    };
    this.#startIsWritten = true;
    return { status: status };
  }

  #start() {
    return {
      state: 'Running',
      startTime: this.#startTime,
      flowsHash: '9e4632421b7f0350',
      stepHashes: `9e4632421b7f0350:${'5c1c8a0d'.repeat(this.#records.size)}`,
      observedGeneration: 1,
      failed: 0,
      suspended: 0,
      total: this.#records.size,
      conditions: [
        this.#accepted(),
        condition('Progressing', 'True', 'Running', 'steps are being run', this.#startTime),
      ],
    };
  }

  #end(now: string) {
    const message = 'every step succeeded';
    return {
      state: 'Succeed',
      completionTime: now,
      conditions: [
        this.#accepted(),
        condition('Progressing', 'False', 'Succeed', message, now),
        condition('Complete', 'True', 'AllStepsSucceeded', message, now),
      ],
    };
  }

  #accepted() {
    return condition('Accepted', 'True', 'Valid', 'the flow can be run', this.#startTime);
  }

  #job(step: string, jobName: string): NewObject {
    const { metadata, apiVersion, kind } = this.flow;
    const { name, namespace = '', uid } = metadata;
    const own = {
      [labels.flow]: name,
      [labels.ownerUid]: uid,
      [labels.step]: step,
      [labels.attempt]: '0',
    };
    const template = this.#steps.get(step)?.jobTemplate?.template;
    const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
    return {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: jobName, namespace, labels: own, ownerReferences: [owner] },
      spec: {
        template: {
          spec: { ...template?.spec, restartPolicy: 'Never' },
          metadata: { labels: own },
        },
        backoffLimit: 0,
        podFailurePolicy: {
          rules: [
            { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          ],
        },
      },
    };
  }
}

function condition(type: string, status: string, reason: string, message: string, since: string) {
  return { type, status, reason, message, lastTransitionTime: since, observedGeneration: 1 };
}
