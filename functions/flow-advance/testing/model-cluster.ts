/**
 * A small cluster: one flow, its Jobs, JobTemplates, and the rules of the API server that decisions rely on. Names
 * are unique, writes carry uid and version, and a change of the spec gives a new generation. The test controls time
 * and the Job controller.
 */
import type { JobFlow, JobFlowSpec } from '#shared/api/job-flow.ts';
import type { Decision, DecisionInput } from '#shared/domain/decision.ts';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import {
  asResourceVersion,
  asUid,
  controllerOf,
  isControlledBy,
  type Json,
  type JsonObject,
  type KubeObject,
  type ObjectKey,
  type ObjectName,
  type Resource,
} from '#shared/domain/objects.ts';
import type {
  CreateOperation,
  DeleteOperation,
  Operation,
  PatchOperation,
  PatchStatusOperation,
  Plan,
} from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { FlowSnapshot } from '../snapshot.ts';
import { t0 } from './builders.ts';

export interface Creation {
  readonly name: string;
  /** Names of the Jobs that were Complete, or whose success criteria were met, at this moment. */
  readonly complete: ReadonlySet<string>;
}

export interface DecisionMade {
  readonly snapshot: FlowSnapshot;
  readonly input: DecisionInput;
  readonly decision: Decision;
}

export type Applied =
  | { readonly kind: 'applied' | 'conflict' | 'crashed' }
  | { readonly kind: 'rejected'; readonly rejections: readonly Rejection[] };

interface EventAbout {
  readonly involvedObject: { readonly uid: string };
}

export class ModelCluster implements Reader {
  nowMs = t0;
  readonly creations: Creation[] = [];
  readonly events: string[] = [];
  writes = 0;
  reads: string[] = [];
  /** Called for every decision about its flow. */
  onDecision: (made: DecisionMade) => void = () => undefined;
  readonly key: ObjectKey;
  readonly #objects = new Map<string, KubeObject>();
  #version = 100;

  constructor(flow: JobFlow) {
    const { name, namespace = '', uid } = flow.metadata;
    this.key = { apiVersion: flow.apiVersion, kind: flow.kind, namespace, name, uid };
    this.put('JobFlow', flow);
  }

  get flow(): JobFlow | undefined {
    return this.find('JobFlow', this.key.name) as JobFlow | undefined;
  }

  get jobNames(): readonly string[] {
    return this.jobs().map(({ metadata }) => metadata.name);
  }

  async get({ kind }: Resource, { name }: ObjectName): Promise<KubeObject | undefined> {
    this.reads.push(`get ${kind} ${name}`);
    return this.find(kind, name);
  }

  async list({ kind }: Resource): Promise<readonly KubeObject[]> {
    this.reads.push(`list ${kind}`);
    return [...this.#objects.values()].filter((object) => object.kind === kind);
  }

  async listByOwner(
    { kind }: Resource,
    { uid }: { readonly uid: KubeObject['metadata']['uid'] },
  ): Promise<readonly KubeObject[]> {
    this.reads.push(`list ${kind}`);
    return this.jobs().filter(({ metadata }) => isControlledBy(metadata, uid));
  }

  async listByOwners(
    { kind }: Resource,
    _: unknown,
    children: readonly KubeObject['metadata']['uid'][],
  ): Promise<readonly KubeObject[]> {
    this.reads.push(`list ${kind}`);
    return [...this.#objects.values()].filter(
      (object) =>
        object.kind === kind && children.some((uid) => isControlledBy(object.metadata, uid)),
    );
  }

  async eventsAbout({ uid }: { readonly uid: string }): Promise<readonly KubeObject[]> {
    this.reads.push(`list Event about ${uid}`);
    return [...this.#objects.values()].filter(
      (object) =>
        object.kind === 'Event' &&
        (object as KubeObject & Partial<EventAbout>).involvedObject?.uid === uid,
    );
  }

  find(kind: string, name: string): KubeObject | undefined {
    return this.#objects.get(`${kind}/${name}`);
  }

  jobs(): readonly KubeObject[] {
    return [...this.#objects.values()].filter(({ kind }) => kind === 'Job');
  }

  put(kind: string, object: KubeObject): void {
    this.#version += 1;
    const resourceVersion = asResourceVersion(String(this.#version));
    const stored = { ...object, kind, metadata: { ...object.metadata, resourceVersion } };
    this.#objects.set(`${kind}/${object.metadata.name}`, stored);
  }

  remove(kind: string, name: string): void {
    this.#objects.delete(`${kind}/${name}`);
  }

  /** Edits the spec of the flow, as a user does. */
  editFlow(change: Partial<JobFlowSpec>): void {
    const flow = this.flow;
    if (flow === undefined) return;
    const generation = (flow.metadata.generation ?? 0) + 1;
    this.put('JobFlow', {
      ...flow,
      spec: { ...flow.spec, ...change },
      metadata: { ...flow.metadata, generation },
    });
  }

  setJobStatus(name: string, status: JsonObject): void {
    const job = this.find('Job', name);
    if (job !== undefined) this.put('Job', { ...job, status });
  }

  /** Applies a plan like apply-plan. After `crashAfter` operations the process ends; earlier ones stay in effect. */
  apply(plan: Plan, crashAfter = Infinity): Applied {
    let done = 0;
    for (const stage of plan) {
      const rejections: Rejection[] = [];
      for (const operation of stage) {
        if (done >= crashAfter) return { kind: 'crashed' };
        done += 1;
        const result = this.#operate(operation);
        if (result === 'conflict') return { kind: 'conflict' };
        if (result !== undefined) rejections.push(result);
      }
      if (rejections.length > 0) return { kind: 'rejected', rejections };
    }
    return { kind: 'applied' };
  }

  #operate(operation: Operation): Rejection | 'conflict' | undefined {
    if (operation.kind !== 'emitEvent') this.writes += 1;
    switch (operation.kind) {
      case 'create':
        return this.#create(operation);
      case 'patch':
        this.#patch(operation);
        return undefined;
      case 'patchStatus':
        return this.#patchStatus(operation);
      case 'delete':
        this.#delete(operation);
        return undefined;
      case 'emitEvent':
        this.events.push(operation.reason);
        return undefined;
    }
  }

  #create({ object, ownerUid }: CreateOperation): Rejection | 'conflict' | undefined {
    const { name } = object.metadata;
    const existing = this.find('Job', name);
    if (existing !== undefined) {
      if (existing.metadata.deletionTimestamp !== undefined) return 'conflict';
      const isOurs = controllerOf(existing.metadata)?.uid === ownerUid;
      return isOurs ? undefined : { name, code: 'NameConflict', message: `${name} is taken` };
    }
    this.creations.push({
      name,
      complete: new Set(
        this.jobs()
          .filter(hasSucceeded)
          .map(({ metadata }) => metadata.name),
      ),
    });
    const uid = asUid(`uid-${this.creations.length}-${name}`);
    const creationTimestamp = rfc3339(this.nowMs);
    const metadata = {
      ...object.metadata,
      uid,
      resourceVersion: asResourceVersion('0'),
      creationTimestamp,
    };
    this.put('Job', { ...object, metadata });
    return undefined;
  }

  #patch({ resource, target, uid, patch }: PatchOperation): void {
    const object = this.find(resource.kind, target.name);
    if (object?.metadata.uid !== uid) return;
    this.put(
      resource.kind,
      applyMergePatch(object as unknown as Json, patch) as unknown as KubeObject,
    );
  }

  #patchStatus({
    target,
    uid,
    resourceVersion,
    status,
  }: PatchStatusOperation): 'conflict' | undefined {
    const flow = this.find('JobFlow', target.name);
    if (flow?.metadata.uid !== uid) return undefined;
    if (flow.metadata.resourceVersion !== resourceVersion) return 'conflict';
    this.put('JobFlow', { ...flow, status: applyMergePatch((flow.status ?? {}) as Json, status) });
    return undefined;
  }

  #delete({ resource, target, uid, resourceVersion, propagation }: DeleteOperation): void {
    const object = this.find(resource.kind, target.name);
    if (object?.metadata.uid !== uid) return;
    if (resourceVersion !== undefined && object.metadata.resourceVersion !== resourceVersion)
      return;
    if (propagation !== 'Foreground') {
      this.remove(resource.kind, target.name);
      return;
    }
    const metadata = { ...object.metadata, deletionTimestamp: rfc3339(this.nowMs) };
    this.put(resource.kind, { ...object, metadata });
  }
}

function hasSucceeded({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some(({ type }) => type === 'Complete' || type === 'SuccessCriteriaMet');
}
