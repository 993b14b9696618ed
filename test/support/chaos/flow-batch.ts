/**
 * Many flows of one namespace, observed by polling: the test's own watch would not survive the faults.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { type AuditEntry, auditEntries, createdTwice, successfulCreates } from '../audit-log.ts';
import type { ClusterApi } from '../flows/cluster-api.ts';
import { flow, type FlowManifest, step, type StepOptions } from '../flows/flow-manifest.ts';

const stepNames = ['a', 'b', 'c', 'd', 'e'];
const middle = ['b', 'c', 'd'];
const pollMs = 250;

type Flow = KubeObject & Pick<JobFlow, 'status'>;

/** Five steps A -> {B, C, D} -> E. Run times differ, so that the flows are at different steps. */
export function diamond(name: string, index: number, options: StepOptions = {}): FlowManifest {
  const each = { ...options, runFor: `${500 + (index % 10) * 110}ms` };
  return flow(name, [
    step('a', each),
    ...middle.map((name) => step(name, { ...each, after: ['a'] })),
    step('e', { ...each, after: middle }),
  ]);
}

export class FlowBatch {
  readonly namespace: string;
  readonly #api: ClusterApi;
  readonly #names: readonly string[];

  private constructor(api: ClusterApi, namespace: string, names: readonly string[]) {
    this.#api = api;
    this.namespace = namespace;
    this.#names = names;
  }

  /** Applies `count` flows in a namespace of their own. */
  static async apply(
    api: ClusterApi,
    namespace: string,
    count: number,
    manifest: (name: string, index: number) => FlowManifest = diamond,
  ): Promise<FlowBatch> {
    await api.create('', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const names = Array.from({ length: count }, (_, index) => `flow-${index}`);
    await Promise.all(names.map((name, index) => api.apply(namespace, manifest(name, index))));
    return new FlowBatch(api, namespace, names);
  }

  /** Waits until a quarter of the steps is done. Throws if the flows are not in the middle then. */
  async untilMidway(withinMs: number): Promise<void> {
    const done = await this.untilDone(1 / 4, withinMs);
    if (done > 3 / 4) throw new Error(`${done * 100} % of the steps were done at once`);
  }

  /** Waits until this share of the steps is done; returns the actual share. */
  async untilDone(share: number, withinMs: number): Promise<number> {
    const total = this.#names.length * stepNames.length;
    return await this.#until(
      `${share * 100} % of the steps are done`,
      (flows) => {
        const done = flows.reduce((sum, each) => sum + stepsDone(each), 0) / total;
        return done >= share ? done : undefined;
      },
      withinMs,
    );
  }

  async untilAllEnded(withinMs: number): Promise<void> {
    const isEnded = ({ status }: Flow) => status?.completionTime !== undefined;
    const ended = (flows: readonly Flow[]) =>
      flows.length === this.#names.length && flows.every(isEnded);
    await this.#until('all flows have ended', (flows) => ended(flows) || undefined, withinMs);
  }

  async unfinished(): Promise<number> {
    return (await this.#flows()).filter(({ status }) => status?.completionTime === undefined)
      .length;
  }

  /**
   * The faults at the end: flows without success, and Jobs that are missing, superfluous, not
   * recorded, or created twice. A create whose client was killed may have been stored, although the log
   * has 504 or no code for it. `isLogComplete`: false after the kill of an API server, which may have
   * stored a Job without logging it.
   */
  async faults(auditLog: string, isLogComplete: boolean): Promise<readonly string[]> {
    const filter = { resource: 'jobs', namespace: this.namespace };
    const created = await successfulCreates(auditLog, filter);
    const asked = await auditEntries(auditLog, { ...filter, verb: 'create' });
    const cutOff = asked.filter(({ code }) => code === 0 || code === 504);
    const jobs = (await this.#api.list('Job', this.namespace)).items;
    const wanted = new Set(
      this.#names.flatMap((name) => stepNames.map((each) => `${name}-${each}`)),
    );
    const uids = new Map(jobs.map(({ metadata }) => [metadata.name, metadata.uid as string]));
    const flows = await this.#flows();
    return [
      ...flows.flatMap((each) => faultsOf(each, uids)),
      ...createdTwice(created).map((name) => `${name} was created twice`),
      ...created.filter(({ name }) => !wanted.has(name)).map(({ name }) => `${name} is unwanted`),
      ...without(wanted, uids).map((name) => `${name} is missing`),
      ...(isLogComplete ? notLogged(wanted, [...created, ...cutOff]) : []),
    ];
  }

  async #until<Value>(
    what: string,
    probe: (flows: readonly Flow[]) => Value | undefined,
    withinMs: number,
  ): Promise<Value> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const flows = await this.#flows().catch((error: unknown) => error);
      const found = Array.isArray(flows) ? probe(flows as readonly Flow[]) : undefined;
      if (found !== undefined) return found;
      if (performance.now() > deadline) {
        throw new Error(
          `not within ${withinMs} ms in ${this.namespace}: ${what}\n${describe(flows)}`,
        );
      }
      await sleep(pollMs);
    }
  }

  async #flows(): Promise<readonly Flow[]> {
    return (await this.#api.list('JobFlow', this.namespace)).items as readonly Flow[];
  }
}

function stepsDone({ status }: Flow): number {
  return (status?.jobStatusList ?? []).filter(({ state }) => state === 'Succeed').length;
}

function faultsOf(
  { metadata, status }: Flow,
  uids: ReadonlyMap<string, string>,
): readonly string[] {
  const { state = 'none', progress = 'none', jobStatusList = [] } = status ?? {};
  const foreign = jobStatusList.filter(
    ({ jobName = '', jobUID }) => jobUID === undefined || uids.get(jobName) !== jobUID,
  );
  return [
    ...(state === 'Succeed' && progress === '5/5'
      ? []
      : [`${metadata.name}: ${state} ${progress}`]),
    ...foreign.map(({ name }) => `${metadata.name}: another Job is recorded for ${name}`),
  ];
}

function notLogged(wanted: ReadonlySet<string>, created: readonly AuditEntry[]): readonly string[] {
  const logged = new Set(created.map(({ name }) => name));
  return without(wanted, logged).map((name) => `no create of ${name} in the audit log`);
}

function without(
  wanted: ReadonlySet<string>,
  found: { has(name: string): boolean },
): readonly string[] {
  return [...wanted].filter((name) => !found.has(name));
}

function describe(flows: unknown): string {
  if (!Array.isArray(flows)) return `the API server does not answer: ${String(flows)}`;
  const unfinished = (flows as readonly Flow[]).filter(
    ({ status }) => status?.completionTime === undefined,
  );
  const lines = unfinished.map(({ metadata, status }) => {
    const steps = (status?.jobStatusList ?? []).map(({ name, state }) => `${name}=${state}`);
    return `${metadata.name} ${status?.state ?? 'none'} ${steps.join(' ')}`;
  });
  return lines.slice(0, 10).join('\n');
}

export interface Recovery {
  /** From the part's restart to the next successful write of flow-advance. */
  readonly nextWriteMs: number;
  /** To the next Job that it created. Undefined: none was left to create. */
  readonly nextJobMs: number | undefined;
  /** To the last write, with which the last flow ended. */
  readonly allEndedMs: number;
}

/** Read from the audit log. Throws if nothing was written after `sinceMs` (Unix time). */
export async function recoveryOf(
  auditLog: string,
  namespace: string,
  sinceMs: number,
): Promise<Recovery> {
  const writes = (
    await auditEntries(auditLog, {
      namespace,
      sinceMs,
      userAgent: /\(flow-advance\)/,
      verb: /create|patch/,
    })
  )
    .filter(({ code }) => code >= 200 && code < 300)
    .toSorted((a, b) => a.answeredAtMs - b.answeredAtMs);
  const [first] = writes;
  const last = writes.findLast(({ resource }) => resource === 'jobflows');
  if (first === undefined || last === undefined) throw new Error('nothing was written afterwards');
  const job = writes.find(({ resource }) => resource === 'jobs');
  return {
    nextWriteMs: first.answeredAtMs - sinceMs,
    nextJobMs: job === undefined ? undefined : job.answeredAtMs - sinceMs,
    allEndedMs: last.answeredAtMs - sinceMs,
  };
}
