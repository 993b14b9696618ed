/** The current and former content of a namespace, even if nothing is left. */
import type { DaemonJob } from '#shared/api/daemon-job.ts';
import type { JobFlow, StepRecord } from '#shared/api/job-flow.ts';
import type { Uid } from '#shared/domain/objects.ts';
import {
  type AuditEntry,
  auditEntries,
  type AuditFilter,
  successfulCreates,
} from '../audit-log.ts';
import type { Kubectl } from '../control-plane/kubectl.ts';
import type { LogTail } from '../log-tail.ts';
import { type EventObject, has, type JobObject, type PodObject, podsOf } from './batch-objects.ts';
import type { ClusterApi } from './cluster-api.ts';
import type { Histories } from './histories.ts';
import { describeNamespace } from './namespace-report.ts';

export interface NamespaceParts {
  readonly api: ClusterApi;
  /** As admin. */
  readonly kubectl: Kubectl;
  readonly histories: Histories;
  readonly auditLog: string;
  /** The end of Millrace's log. Absent: it runs elsewhere. */
  readonly log?: LogTail;
}

export class NamespaceView {
  readonly namespace: string;
  readonly api: ClusterApi;
  protected readonly histories: Histories;
  readonly #auditLog: string;
  readonly #log: LogTail | undefined;

  constructor(namespace: string, { api, histories, auditLog, log }: NamespaceParts) {
    this.namespace = namespace;
    this.api = api;
    this.histories = histories;
    this.#auditLog = auditLog;
    this.#log = log;
  }

  flow(name: string): JobFlow | undefined {
    return this.histories.flows.get(this.namespace, name);
  }

  daemonJob(name: string): DaemonJob | undefined {
    return this.histories.daemonJobs.get(this.namespace, name);
  }

  /** The step's entry in the flow's status. */
  step(flow: string, step: string): StepRecord | undefined {
    return this.flow(flow)?.status?.jobStatusList?.find((entry) => entry.name === step);
  }

  condition(flow: string, type: string) {
    return this.flow(flow)?.status?.conditions?.find((condition) => condition.type === type);
  }

  job(name: string): JobObject | undefined {
    return this.histories.jobs.get(this.namespace, name);
  }

  jobs(): readonly JobObject[] {
    return this.histories.jobs.current(this.namespace);
  }

  pods(jobName?: string): readonly PodObject[] {
    const pods = this.histories.pods.current(this.namespace);
    return jobName === undefined ? pods : podsOf(pods, jobName);
  }

  /** Every state in the flow's status, without adjacent repeats. */
  statesOf(flow: string): readonly string[] {
    const states = this.flowSightings(flow).flatMap(({ status }) => status?.state ?? []);
    return states.filter((state, index) => state !== states[index - 1]);
  }

  /** Every version of the flow that was ever stored, in order. */
  flowSightings(flow: string): readonly JobFlow[] {
    return this.histories.flows
      .sightings(this.namespace)
      .filter(({ type, object }) => type !== 'DELETED' && object.metadata.name === flow)
      .map(({ object }) => object);
  }

  /** Every version of the DaemonJob that was ever stored, in order. */
  daemonJobSightings(name: string): readonly DaemonJob[] {
    return this.histories.daemonJobs
      .sightings(this.namespace)
      .filter(({ type, object }) => type !== 'DELETED' && object.metadata.name === name)
      .map(({ object }) => object);
  }

  /** Uid of the first flow seen under this name. */
  uidOf(flow: string): Uid {
    const [first] = this.flowSightings(flow);
    if (first === undefined) throw new Error(`there never was a flow ${flow}`);
    return first.metadata.uid;
  }

  jobSightings() {
    return this.histories.jobs.sightings(this.namespace);
  }

  podSightings() {
    return this.histories.pods.sightings(this.namespace);
  }

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

  /**
   * Milliseconds from the upstream's Complete to the dependant's creation. Throws if the order is wrong.
   */
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
      ({ reason = '', message = '', involvedObject: about }) =>
        `${reason} ${about?.kind ?? ''}/${about?.name ?? ''}: ${message}`,
    );
    const flows = this.histories.flows.current(this.namespace);
    const daemonJobs = this.histories.daemonJobs.current(this.namespace);
    const { items: policies } = await this.api.list('SuspendPolicy', this.namespace);
    return describeNamespace({
      ...{ flows, daemonJobs, policies, events, jobs: this.jobs(), pods: this.pods() },
      log: this.#log?.linesWith(`/${this.namespace}/`) ?? [],
      bridge: this.#log?.linesWith('"part":"bridge"') ?? [],
    });
  }
}
