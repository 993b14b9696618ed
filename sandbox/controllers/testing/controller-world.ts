/** A sandbox with its controllers on a clock that moves only on demand. */
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { seeded } from '../../apimachinery/testing/seeded.ts';
import { createSandbox, type Sandbox } from '../../sandbox.ts';
import type { CallOptions } from '../../api/api-call.ts';
import type { ResourceType } from '../../registry/resource-type.ts';
import type { Controller } from '../controller.ts';
import { ControllerQueue } from '../controller-queue.ts';
import { createControllers } from '../create-controllers.ts';
import { kueueDefinitions } from '../kueue/definitions.ts';
import { createNodes } from '../node/create-nodes.ts';
import { asJob, type Job } from '../objects/job.ts';
import { asNode, type Node } from '../objects/node.ts';
import { asPod, type Pod } from '../objects/pod.ts';
import { SimulatedRuntime } from '../pod/simulated-runtime.ts';
import { presentObjects } from '../run-controllers.ts';

export interface WorldOptions {
  /** Default 1. */
  readonly nodes?: number;
  /** Serves Kueue's kinds and runs the stand-in. Default false. */
  readonly kueue?: boolean;
}

const mostTurns = 20_000;

export class ControllerWorld {
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  readonly sandbox: Sandbox;
  readonly runtime = new SimulatedRuntime();
  readonly #startMs = this.nowMs;
  readonly #kueue: boolean;
  #queue: ControllerQueue;
  readonly #clock = { now: () => this.nowMs };

  constructor({ nodes = 1, kueue = false }: WorldOptions = {}) {
    const random = seeded(7);
    this.sandbox = createSandbox({ clock: this.#clock, random });
    this.#kueue = kueue;
    this.#queue = new ControllerQueue(this.#controllers());
    this.sandbox.store.onChange((event) => this.#queue.observe(event));
    for (const event of presentObjects(this.sandbox.api)) this.#queue.observe(event);
    createNodes(this.sandbox.api, nodes);
    if (kueue) {
      for (const each of kueueDefinitions) this.create('customresourcedefinitions', each);
    }
    this.settle();
  }

  /** New controllers without memory, as after a restart of the process. */
  restartControllers(): void {
    this.#queue = new ControllerQueue(this.#controllers());
    for (const event of presentObjects(this.sandbox.api)) this.#queue.observe(event);
    this.settle();
  }

  #controllers(): readonly Controller[] {
    const { runtime } = this;
    const clock = this.#clock;
    return createControllers({ api: this.sandbox.api, clock, runtime, kueue: this.#kueue });
  }

  /** Runs all turns of this moment. */
  settle(): void {
    const context = { api: this.sandbox.api, clock: this.#clock, random: seeded(7) };
    this.#queue.wake(this.nowMs);
    for (let count = 0; !this.#queue.isEmpty; count += 1) {
      if (count > mostTurns) throw new Error('the controllers do not come to rest');
      const turn = this.#queue.take();
      if (turn === undefined) return;
      this.#queue.lookAgain(turn, turn.controller.reconcile(turn.key, context));
      this.#queue.wake(this.nowMs);
    }
  }

  /** Runs all turns of the next seconds, each at its time. */
  pass(seconds: number): void {
    const endMs = this.nowMs + seconds * 1000;
    this.settle();
    for (;;) {
      const { nextMs = Infinity } = this.#queue;
      if (nextMs > endMs) break;
      this.nowMs = Math.max(this.nowMs, nextMs);
      this.settle();
    }
    this.nowMs = endMs;
  }

  get seconds(): number {
    return (this.nowMs - this.#startMs) / 1000;
  }

  type(plural: string): ResourceType {
    const type = this.sandbox.api.types.all().find((each) => each.plural === plural);
    if (type === undefined) throw new Error(`no ${plural}`);
    return type;
  }

  create(plural: string, body: object, namespace = 'default'): KubeObject {
    const type = this.type(plural);
    const place = type.namespaced ? namespace : '';
    const call = { verb: 'create', type, namespace: place, name: '', subresource: '' } as const;
    const answer = this.sandbox.api.handleNow({ ...call, body: body as Json, options: {} });
    this.settle();
    return answer.body as KubeObject;
  }

  patch(plural: string, name: string, body: JsonObject, subresource = ''): void {
    const type = this.type(plural);
    const namespace = type.namespaced ? 'default' : '';
    const call = { verb: 'patch', type, namespace, name, subresource, body } as const;
    this.sandbox.api.handleNow({ ...call, patchKind: 'merge', options: {} });
    this.settle();
  }

  delete(plural: string, name: string, options: CallOptions = {}): void {
    const type = this.type(plural);
    const namespace = type.namespaced ? 'default' : '';
    const call = { verb: 'delete', type, namespace, name, subresource: '', options } as const;
    this.sandbox.api.handleNow(call);
    this.settle();
  }

  list(plural: string, namespace = ''): readonly KubeObject[] {
    return this.sandbox.store.list(this.type(plural), namespace);
  }

  job(name = 'work'): Job {
    const object = this.sandbox.store.get(this.type('jobs'), 'default', name);
    if (object === undefined) throw new Error(`no Job ${name}`);
    return asJob(object);
  }

  hasJob(name = 'work'): boolean {
    return this.sandbox.store.get(this.type('jobs'), 'default', name) !== undefined;
  }

  /** In the order of creation, by resourceVersion because times are too coarse. */
  get pods(): readonly Pod[] {
    return this.list('pods').map(asPod);
  }

  pod(name: string): Pod {
    const found = this.pods.find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`no Pod ${name}`);
    return found;
  }

  node(name = 'node-1'): Node {
    const object = this.sandbox.store.get(this.type('nodes'), '', name);
    if (object === undefined) throw new Error(`no Node ${name}`);
    return asNode(object);
  }

  /** True conditions, in the order of the status. */
  conditions(name = 'work'): readonly string[] {
    const { conditions = [] } = this.job(name).status ?? {};
    return conditions.filter(({ status }) => status === 'True').map(({ type }) => type);
  }

  /** `Reason: message` of Events about an object, oldest first. */
  eventTexts(kind: string, name?: string): readonly string[] {
    interface StoredEvent extends KubeObject {
      readonly involvedObject: { readonly kind: string; readonly name: string };
      readonly reason: string;
      readonly message: string;
    }
    return (this.list('events') as readonly StoredEvent[])
      .filter(({ involvedObject: about }) => about.kind === kind)
      .filter(({ involvedObject: about }) => name === undefined || about.name === name)
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ reason, message }) => `${reason}: ${message}`);
  }
}

interface JobOptions {
  readonly name?: string;
  /** Shell script of the only container. */
  readonly run?: string;
  readonly spec?: object;
  readonly podSpec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A Job whose Pods run one second, under the name `work`. */
export function job({ name = 'work', run = 'sleep 1', ...options }: JobOptions = {}): object {
  const { spec, podSpec, annotations = {} } = options;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      template: {
        metadata: { annotations },
        spec: { restartPolicy: 'Never', containers: [container(run)], ...podSpec },
      },
      ...spec,
    },
  };
}

export function pod(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { restartPolicy: 'Never', containers: [container('sleep 1')], ...spec },
  };
}

export function container(run: string, more: object = {}): object {
  return { name: 'main', image: 'busybox', command: ['sh', '-c', run], ...more };
}
