/** Users' actions on flows, Jobs and templates while Millrace works on them. */
import { frozenHash } from '#shared/api/frozen-spec.ts';
import type { JobFlow } from '#shared/api/job-flow.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { annotations, labels } from '#shared/domain/labels.ts';
import { childJobName } from '#shared/domain/names.ts';
import {
  asResourceVersion,
  asUid,
  controllerOf,
  type Json,
  type JsonObject,
  type KubeObject,
  resourceKey,
} from '#shared/domain/objects.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { resources, type ResourceKind } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { nameOfTrace } from '#shared/domain/trace.ts';
import { notedTrace, type ViewStore } from '#shared/views/view-store.ts';
import type { ObjectStore, ResourceType } from '#sandbox';
import { flowObject, foreignJob, namespace, templateObject } from '../flow-objects.ts';
import type { FlowPlan, UserAction } from '../scenario.ts';
import { isBatch } from '../policies/policy-objects.ts';
import { templateNames } from '../random-scenario.ts';

/** Keeps a Job in deletion. */
const holding = 'example.com/holding';

export interface UserOptions {
  readonly store: ObjectStore;
  readonly client: KubeClient;
  readonly flows: readonly FlowPlan[];
  readonly templateTtlSeconds: number | undefined;
  /** Views whose notes show former Jobs, even if no status records them. */
  readonly views: Pick<ViewStore, 'notes'> | undefined;
  /** The flow's type in the API server. */
  readonly flowType: ResourceType;
}

export class User {
  /** Counts how often each action found an object. */
  readonly done: Partial<Record<UserAction['kind'], number>> = {};
  readonly #options: UserOptions;
  /** All parameters that each flow ever had, by its uid. */
  readonly #params = new Map<string, Json[]>();
  /** The steps of each flow before its correction, by its uid. */
  readonly #steps = new Map<string, Json[]>();
  #nonces = 0;

  constructor(options: UserOptions) {
    this.#options = options;
  }

  async create(plan: FlowPlan): Promise<void> {
    if (plan.poison === true) {
      this.#plant(plan);
      return;
    }
    if (this.#find('JobFlow', plan.name) !== undefined) return;
    await this.#options.client.create(resources.JobFlow, flowObject(plan));
  }

  /** As if it had been stored before the schema existed. */
  #plant(plan: FlowPlan): void {
    const { store } = this.#options;
    const metadata = {
      ...flowObject(plan).metadata,
      uid: asUid('uid-of-poison'),
      resourceVersion: asResourceVersion('0'),
      generation: 1,
    };
    store.put(this.#options.flowType, { ...flowObject(plan), metadata });
  }

  async createTemplate(name: string, image = 'busybox'): Promise<void> {
    if (this.#find('JobTemplate', name) !== undefined) return;
    const { client, templateTtlSeconds } = this.#options;
    await client.create(resources.JobTemplate, templateObject(name, image, templateTtlSeconds));
  }

  async act(action: UserAction): Promise<void> {
    const plans = this.#options.flows.filter(({ poison }) => poison !== true);
    const plan = plans[action.flow % plans.length]!;
    const flow = this.#find('JobFlow', plan.name) as JobFlow | undefined;
    const acted = await this.#attempt(action, plan, flow);
    if (acted) this.done[action.kind] = (this.done[action.kind] ?? 0) + 1;
  }

  /** False: there was no object for the action. */
  async #attempt(action: UserAction, plan: FlowPlan, flow: JobFlow | undefined): Promise<boolean> {
    const template = templateNames[action.choice % templateNames.length]!;
    switch (action.kind) {
      case 'recreateFlow':
        return this.#recreate(plan, flow);
      case 'recreateLingering':
        await this.#letLinger(flow, action.choice);
        return this.#recreate(plan, flow);
      case 'releaseLingering':
        return this.#releaseLingering();
      case 'createTemplate':
        await this.createTemplate(template, 'fresh');
        return true;
      case 'editTemplate':
        return this.#patch('JobTemplate', template, {
          spec: {
            jobTemplate: { template: { metadata: { labels: { edit: String(action.atMs) } } } },
          },
        });
      case 'deleteTemplate':
        return this.#delete('JobTemplate', template);
      case 'takeChildName':
        return this.#takeName(plan, action);
      case 'deleteChild':
      case 'suspendChild':
      case 'relabelChild':
      case 'expireChild':
        return flow !== undefined && this.#meddle(action, flow);
      default:
        return flow !== undefined && this.#change(action, flow);
    }
  }

  async #recreate(plan: FlowPlan, flow: JobFlow | undefined): Promise<boolean> {
    if (flow !== undefined) await this.#delete('JobFlow', plan.name);
    if (this.#find('JobFlow', plan.name) !== undefined) return false;
    await this.create(plan);
    return true;
  }

  /** Some or all of its Jobs keep their names for a while, as with a long grace period. */
  async #letLinger(flow: JobFlow | undefined, choice: number): Promise<void> {
    const recorded = (flow?.status?.jobStatusList ?? []).flatMap(({ jobName }) => jobName ?? []);
    const names = choice % 2 === 0 ? recorded : recorded.slice(-1);
    for (const name of names) {
      // No finalizer can be added any more.
      if (this.#find('Job', name)?.metadata.deletionTimestamp !== undefined) continue;
      if (!(await this.#patch('Job', name, { metadata: { finalizers: [holding] } }))) continue;
      await this.#delete('Job', name);
    }
  }

  async #releaseLingering(): Promise<boolean> {
    const jobs = this.#options.store.list(resources.Job);
    const held = jobs.filter(({ metadata }) => metadata.finalizers?.includes(holding) === true);
    for (const { metadata } of held) {
      await this.#patch('Job', metadata.name, { metadata: { finalizers: null } });
    }
    return held.length > 0;
  }

  async #change(action: UserAction, flow: JobFlow): Promise<boolean> {
    const { name } = flow.metadata;
    switch (action.kind) {
      case 'deleteFlow': {
        const propagation = action.choice % 2 === 0 ? 'Background' : 'Foreground';
        return this.#delete('JobFlow', name, propagation);
      }
      case 'suspend':
      case 'resume':
        return this.#patch('JobFlow', name, { spec: { suspend: action.kind === 'suspend' } });
      case 'retry': {
        this.#nonces += 1;
        // An empty one requests nothing.
        const nonce =
          action.choice === 7 ? '' : `${steps(flow, action.choice)}retry-${this.#nonces}`;
        return this.#patch('JobFlow', name, {
          metadata: { annotations: { [annotations.retry]: nonce } },
        });
      }
      case 'editAllowed':
        return this.#patch('JobFlow', name, {
          spec: allowedEdits[action.choice % allowedEdits.length]!,
        });
      case 'mend':
        return this.#mend(flow, action);
      case 'limit':
        return this.#patch('JobFlow', name, {
          spec: limits[action.choice % limits.length]!,
        });
      case 'shutdown':
        return this.#patch('JobFlow', name, {
          spec: { shutdown: shutdowns[action.choice % shutdowns.length]! },
        });
      case 'deadline':
        return this.#patch('JobFlow', name, {
          spec: { activeDeadlineSeconds: deadlines[action.choice % deadlines.length]! },
        });
      case 'editFrozen': {
        const before = (flow.spec as JsonObject)['globalParams'] as JsonObject | undefined;
        const edited = { ...(before?.['labels'] as JsonObject), edit: String(action.choice) };
        const globalParams = await this.#defaulted({ ...before, labels: edited });
        const known = this.#params.get(flow.metadata.uid) ?? [before ?? null];
        this.#params.set(flow.metadata.uid, [...known, globalParams]);
        if (action.choice % 2 === 0) return this.#overwrite(flow, { globalParams });
        return this.#tryPatch('JobFlow', name, { spec: { globalParams } });
      }
      default:
        return false;
    }
  }

  /** Corrects a step of a failed flow. */
  async #mend({ metadata, spec, status }: JobFlow, { atMs, choice }: UserAction): Promise<boolean> {
    const lost = (status?.jobStatusList ?? []).filter(
      ({ state }) => state === 'Failed' || state === 'Skipped',
    );
    const wrong = lost[choice % Math.max(1, lost.length)];
    const step = spec.flows.find(({ name }) => name === wrong?.name);
    if (status?.state !== 'Failed' || step?.jobTemplate === undefined) return false;
    const known = this.#steps.get(metadata.uid) ?? [];
    this.#steps.set(metadata.uid, [...known, spec.flows]);
    const { template } = step.jobTemplate;
    const labelled = { ...template.metadata, labels: { mended: String(atMs) } };
    const jobTemplate = { ...step.jobTemplate, template: { ...template, metadata: labelled } };
    const flows = spec.flows.map((each) => (each === step ? { ...each, jobTemplate } : each));
    return this.#tryPatch('JobFlow', metadata.name, { spec: { flows: flows as unknown as Json } });
  }

  /** Acts on a recorded Job: whether an unrecorded one existed could not be verified. */
  async #meddle(action: UserAction, flow: JobFlow): Promise<boolean> {
    const names = await this.#traceableJobs(flow);
    const name = names[action.choice % Math.max(1, names.length)];
    if (name === undefined) return false;
    switch (action.kind) {
      case 'deleteChild':
        return this.#delete('Job', name, action.choice % 2 === 0 ? 'Background' : 'Foreground');
      case 'suspendChild':
        return this.#patch('Job', name, { spec: { suspend: true } });
      case 'relabelChild':
        return this.#patch('Job', name, { metadata: { labels: { [labels.ownerUid]: null } } });
      case 'expireChild':
        return this.#patch('Job', name, { spec: { ttlSecondsAfterFinished: action.choice } });
      default:
        return false;
    }
  }

  async #takeName(plan: FlowPlan, { choice }: UserAction): Promise<boolean> {
    const step = plan.steps[choice % plan.steps.length]!;
    const name = childJobName(plan.name, step.name, choice % 3 === 0 ? 1 : 0);
    if (this.#find('Job', name) !== undefined) return false;
    await this.#options.client.create(resources.Job, foreignJob(name));
    return true;
  }

  /** Reverts everything that keeps flows from ending. */
  async makePeace(): Promise<void> {
    for (const name of templateNames) await this.createTemplate(name);
    await this.#releaseLingering();
    for (const job of this.#options.store.list(resources.Job)) await this.#release(job);
    for (const flow of this.#options.store.list(resources.JobFlow)) {
      this.#restore(flow as unknown as JobFlow);
      // Others are left alone: an edit would enqueue them, which is the sweep's task.
      if ((flow.spec as { readonly suspend?: boolean }).suspend !== true) continue;
      // Kueue resumes it.
      if (flow.metadata.labels?.[queueLabel] !== undefined) continue;
      await this.#patch('JobFlow', flow.metadata.name, { spec: { suspend: false } });
    }
  }

  /** Restores the steps from the flow's start. */
  #restore(flow: JobFlow): void {
    const wanted = flow.status?.flowsHash;
    if (wanted === undefined || frozenHash(flow.spec) === wanted) return;
    const known = this.#params.get(flow.metadata.uid) ?? [];
    const rest: JsonObject = { ...(flow.spec as JsonObject) };
    Reflect.deleteProperty(rest, 'globalParams');
    const now = rest['flows'] ?? null;
    for (const flows of [now, ...(this.#steps.get(flow.metadata.uid) ?? [])]) {
      const right = [...known, (flow.spec as JsonObject)['globalParams'] ?? null].find((params) => {
        const spec = { ...rest, flows, ...(params === null ? {} : { globalParams: params }) };
        return frozenHash(spec as unknown as JobFlow['spec']) === wanted;
      });
      if (right === undefined) continue;
      // Corrected steps stay as they are.
      const isCorrected = flows !== now && flow.status?.reason !== 'SpecChanged';
      this.#overwrite(flow, { globalParams: right ?? undefined, flows: isCorrected ? now : flows });
      return;
    }
  }

  async #release(job: KubeObject): Promise<void> {
    const { name, annotations: notes = {} } = job.metadata;
    if (isBatch(job)) return;
    const isForeign = controllerOf(job.metadata) === undefined;
    const { suspend } = job.spec as { readonly suspend?: boolean };
    if (isForeign) await this.#delete('Job', name);
    else if (suspend === true && notes[annotations.suspendedBy] === undefined) {
      await this.#patch('Job', name, { spec: { suspend: false } });
    }
  }

  async #traceableJobs({ metadata, status }: JobFlow): Promise<readonly string[]> {
    const { store, views } = this.#options;
    const notes = (await views?.notes(metadata.uid)) ?? [];
    const noted = notes.flatMap(({ key }) => notedTrace(key, resourceKey(resources.Job)) ?? []);
    const records = status?.jobStatusList ?? [];
    const recorded = records.flatMap(({ jobName }) => jobName ?? []);
    // Of two unrecorded attempts, only the first one is looked up.
    const isNext = (job: KubeObject): boolean => {
      const record = records.find(({ name }) => name === job.metadata.labels?.[labels.step]);
      const isRetried = metadata.annotations?.[annotations.retry] !== status?.retryNonce;
      const next = (record?.attempt ?? 0) + (record?.state === 'Failed' && isRetried ? 1 : 0);
      return job.metadata.labels?.[labels.attempt] === String(next);
    };
    return [...new Set([...recorded, ...noted.map(nameOfTrace)])].filter((name) => {
      const job = store.get(resources.Job, namespace, name);
      if (job === undefined || controllerOf(job.metadata)?.uid !== metadata.uid) return false;
      return recorded.includes(name) || isNext(job);
    });
  }

  #find(kind: ResourceKind, name: string): KubeObject | undefined {
    return this.#options.store.get(resources[kind], namespace, name);
  }

  async #patch(kind: ResourceKind, name: string, patch: JsonObject): Promise<boolean> {
    if (this.#find(kind, name) === undefined) return false;
    await this.#options.client.patch(resources[kind], { namespace, name }, patch, {
      type: 'merge',
    });
    return true;
  }

  /** Some user actions are refused. */
  async #tryPatch(kind: ResourceKind, name: string, patch: JsonObject): Promise<boolean> {
    try {
      return await this.#patch(kind, name, patch);
    } catch (error) {
      if (hasCode(error, 'MR_API_INVALID')) return true;
      throw error;
    }
  }

  /** As the API server stores them. */
  async #defaulted(globalParams: JsonObject): Promise<JsonObject> {
    const [plan] = this.#options.flows;
    const flow = flowObject({ ...plan!, name: 'tried-out' });
    const spec = { ...(flow.spec as JsonObject), globalParams };
    const { client } = this.#options;
    const stored = await client.create(resources.JobFlow, { ...flow, spec }, { dryRun: true });
    return (stored.spec as JsonObject)['globalParams'] as JsonObject;
  }

  /** As if it had been stored before the rule that forbids it. */
  #overwrite({ metadata: { name } }: Pick<KubeObject, 'metadata'>, change: JsonObject): boolean {
    const flow = this.#find('JobFlow', name);
    if (flow === undefined) return false;
    const spec = Object.fromEntries(
      Object.entries({ ...(flow.spec as JsonObject), ...change }).filter(
        ([, value]) => value !== undefined,
      ),
    );
    const generation = (flow.metadata.generation ?? 0) + 1;
    const metadata = { ...flow.metadata, generation };
    this.#options.store.put(this.#options.flowType, { ...flow, metadata, spec });
    return true;
  }

  async #delete(
    kind: ResourceKind,
    name: string,
    propagation: 'Background' | 'Foreground' = 'Background',
  ): Promise<boolean> {
    const found = this.#find(kind, name);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return false;
    await this.#options.client.delete(resources[kind], { namespace, name }, { propagation });
    return true;
  }
}

const allowedEdits: readonly JsonObject[] = [
  { failurePolicy: 'FailFast' },
  { failurePolicy: 'CancelRunning' },
  { failurePolicy: 'ContinueIndependent' },
  { suspendMode: 'SchedulingOnly' },
  { suspendMode: 'StopRunning' },
];

/** Values that end a flow early, and that revert this. */
const shutdowns: readonly Json[] = ['Stop', 'Terminate', null, 'Stop', 'Terminate'];

/** Seconds; null removes the deadline. */
const deadlines: readonly Json[] = [1, 3, null, 10, 60];

/** Limits of a flow, and their removal. */
const limits: readonly JsonObject[] = [
  { parallelism: 1 },
  { parallelism: 2 },
  { parallelism: 3 },
  { parallelism: null },
];

/** Names some of its steps, or an unknown one, before the value that distinguishes retries. */
function steps({ status }: JobFlow, choice: number): string {
  const failed = (status?.jobStatusList ?? []).filter(({ state }) => state === 'Failed');
  if (choice === 4) return 'no-such-step@';
  return choice < 5 || failed.length === 0
    ? ''
    : `${failed
        .slice(0, choice - 4)
        .map(({ name }) => name)
        .join(',')}@`;
}
