/**
 * One namespace of a real cluster in which a test plays the user: it applies, waits and looks.
 * Every wait has a deadline and says on failure what the namespace looked like.
 */
import type { JobFlow, JobStatus } from '#shared/api/job-flow.ts';
import type { KubeObject, Uid } from '#shared/domain/objects.ts';
import type { ResourceKind } from '#shared/domain/resources.ts';
import { type AuditEntry, auditEntries, type AuditFilter, successfulCreates } from './audit-log.ts';
import type { Kubectl } from './control-plane/kubectl.ts';
import { kubectlOrThrow } from './control-plane/kubectl.ts';
import {
  type EventObject,
  has,
  type JobObject,
  type PodObject,
  podsOf,
} from './flows/batch-objects.ts';
import { ApiRefusal, type ClusterApi, type Manifest } from './flows/cluster-api.ts';
import { describeNamespace } from './flows/namespace-report.ts';
import type { ObjectHistory } from './flows/object-history.ts';

export {
  flow,
  jobTemplate,
  malformedFlow,
  step,
  type StepOptions,
  untilEnded,
  work,
} from './flows/flow-manifest.ts';
export { has } from './flows/batch-objects.ts';

export interface Histories {
  readonly flows: ObjectHistory<JobFlow & KubeObject>;
  readonly jobs: ObjectHistory<JobObject>;
  readonly pods: ObjectHistory<PodObject>;
}

/** Longer than any run of these tests takes on a busy machine, in milliseconds. */
const patienceMs = 45_000;

export class FlowWorld {
  readonly namespace: string;
  readonly api: ClusterApi;
  readonly #auditLog: string;
  readonly #kubectl: Kubectl;
  readonly #histories: Histories;

  constructor(
    namespace: string,
    parts: {
      readonly api: ClusterApi;
      readonly kubectl: Kubectl;
      readonly histories: Histories;
      readonly auditLog: string;
    },
  ) {
    this.namespace = namespace;
    this.api = parts.api;
    this.#kubectl = parts.kubectl;
    this.#histories = parts.histories;
    this.#auditLog = parts.auditLog;
  }

  // What a user does.

  /** Server-side apply; throws ApiRefusal when the API server says no. */
  apply(...objects: readonly Manifest[]): Promise<readonly KubeObject[]> {
    return Promise.all(objects.map((object) => this.api.apply(this.namespace, object)));
  }

  /** The words with which the API server refuses to store this object. Fails when it stores it. */
  async refusalOf(object: Manifest): Promise<ApiRefusal> {
    try {
      await this.api.apply(this.namespace, object);
    } catch (error) {
      if (error instanceof ApiRefusal) return error;
      throw error;
    }
    throw new Error(`${object.kind} ${object.metadata.name} was accepted`);
  }

  patch(kind: ResourceKind, name: string, patch: unknown, subresource?: 'status') {
    return this.api.patch(kind, { namespace: this.namespace, name }, patch, subresource);
  }

  patchFlow(name: string, patch: unknown) {
    return this.patch('JobFlow', name, patch);
  }

  delete(kind: ResourceKind, name: string, propagation?: 'Foreground' | 'Background' | 'Orphan') {
    return this.api.delete(kind, { namespace: this.namespace, name }, propagation);
  }

  /** What kubectl prints for this namespace; throws its own words when it does not exit with 0. */
  kubectl(args: readonly string[], input?: string): Promise<string> {
    const all = ['--namespace', this.namespace, ...args];
    return kubectlOrThrow(this.#kubectl, all, input === undefined ? {} : { input });
  }

  // What there is.

  flow(name: string): JobFlow | undefined {
    return this.#histories.flows.get(this.namespace, name);
  }

  /** The entry of the flow's status. */
  step(flow: string, step: string): JobStatus | undefined {
    return this.flow(flow)?.status?.jobStatusList?.find((entry) => entry.name === step);
  }

  condition(flow: string, type: string) {
    return this.flow(flow)?.status?.conditions?.find((condition) => condition.type === type);
  }

  job(name: string): JobObject | undefined {
    return this.#histories.jobs.get(this.namespace, name);
  }

  jobs(): readonly JobObject[] {
    return this.#histories.jobs.current(this.namespace);
  }

  pods(jobName?: string): readonly PodObject[] {
    const pods = this.#histories.pods.current(this.namespace);
    return jobName === undefined ? pods : podsOf(pods, jobName);
  }

  /** Every state the flow's status ever showed, without repeats next to each other. */
  statesOf(flow: string): readonly string[] {
    const states = this.flowSightings(flow).flatMap(({ status }) => status?.state ?? []);
    return states.filter((state, index) => state !== states[index - 1]);
  }

  /** Every version of the flow that was ever stored, in order. */
  flowSightings(flow: string): readonly JobFlow[] {
    return this.#histories.flows
      .sightings(this.namespace)
      .filter(({ type, object }) => type !== 'DELETED' && object.metadata.name === flow)
      .map(({ object }) => object);
  }

  /** Of the flow as it was first seen under this name. */
  uidOf(flow: string): Uid {
    const [first] = this.flowSightings(flow);
    if (first === undefined) throw new Error(`there never was a flow ${flow}`);
    return first.metadata.uid;
  }

  jobSightings() {
    return this.#histories.jobs.sightings(this.namespace);
  }

  podSightings() {
    return this.#histories.pods.sightings(this.namespace);
  }

  // Waiting.

  /** Resolves with the first value of `probe` that is neither undefined nor false. */
  async until<Value>(
    what: string,
    probe: () => Value | undefined | false,
    withinMs = patienceMs,
  ): Promise<Value> {
    const found = await this.#firstValue(probe, withinMs);
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

  untilStep(flow: string, step: string, state: string, withinMs?: number): Promise<JobStatus> {
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

  /** The Pod of this Job that runs and is not being deleted. */
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

  /** Fails as soon as `holds` is false within the next `forMs` milliseconds. */
  async throughout(forMs: number, what: string, holds: () => boolean): Promise<void> {
    const broken = await this.#firstValue(() => !holds(), forMs);
    if (broken !== true) return;
    throw new Error(`no longer true in ${this.namespace}: ${what}\n${await this.describe()}`);
  }

  // Playing the container.

  /** Ends the running Pod of this Job as its container would, with this exit code. */
  async endPod(jobName: string, exitCode = 0): Promise<void> {
    const pod = await this.untilRunning(jobName);
    const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' };
    const containerStatuses = pod.spec.containers.map(({ name }) => ({
      name,
      image: 'busybox:1.28',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated },
    }));
    const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
    await this.patch('Pod', pod.metadata.name, { status: { phase, containerStatuses } }, 'status');
  }

  // What was ever done, also when nothing is left of it.

  /** Every Job that the API server created in this namespace, in order (from the audit log). */
  jobsEverCreated(): Promise<readonly AuditEntry[]> {
    return successfulCreates(this.#auditLog, { resource: 'jobs', namespace: this.namespace });
  }

  async namesEverCreated(): Promise<readonly string[]> {
    return (await this.jobsEverCreated()).map(({ name }) => name);
  }

  /** Requests about this namespace. */
  requests(filter: AuditFilter): Promise<readonly AuditEntry[]> {
    return auditEntries(this.#auditLog, { ...filter, namespace: this.namespace });
  }

  /** Milliseconds from the upstream's Complete to the dependant's creation; throws on the wrong order. */
  advanceMs(upstream: string, dependant: string): number {
    const sightings = this.jobSightings();
    const completed = sightings.findIndex(
      ({ object }) => object.metadata.name === upstream && has(object, 'Complete'),
    );
    const created = sightings.findIndex(
      ({ type, object }) => type === 'ADDED' && object.metadata.name === dependant,
    );
    if (completed === -1) throw new Error(`${upstream} was never Complete`);
    if (created === -1) throw new Error(`${dependant} was never created`);
    if (created < completed)
      throw new Error(`${dependant} was created before ${upstream} completed`);
    return sightings[created]!.atMs - sightings[completed]!.atMs;
  }

  /** Kubernetes Events about the objects of this namespace. */
  async events(): Promise<readonly EventObject[]> {
    const { items } = await this.api.list('Event', this.namespace);
    return items;
  }

  async describe(): Promise<string> {
    const events = (await this.events()).map(
      ({ reason = '', note = '', regarding }) =>
        `${reason} ${regarding?.kind ?? ''}/${regarding?.name ?? ''}: ${note}`,
    );
    const flows = this.#histories.flows.current(this.namespace);
    return describeNamespace({ flows, jobs: this.jobs(), pods: this.pods(), events });
  }

  #firstValue<Value>(probe: () => Value | undefined | false, withinMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<Value | undefined | false>();
    const { flows, jobs, pods } = this.#histories;
    const watched = [flows, jobs, pods] as const;
    const check = () => {
      try {
        for (const history of watched) history.assertHealthy();
        const value = probe();
        if (value !== undefined && value !== false) resolve(value);
      } catch (error) {
        reject(error);
      }
    };
    const stops = watched.map((history) => history.onChange(check));
    const timer = setTimeout(() => resolve(undefined), withinMs);
    check();
    return promise.finally(() => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    });
  }
}
