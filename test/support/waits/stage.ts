/** Where the listed waits are caused: objects of one cluster, as a user writes them. */
import type { Explanation } from '#functions/millrace/why/explanation.ts';
import type { JsonObject, KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import type { KubeClient, PatchOptions } from '#shared/kube/client.ts';
import { testTaint } from '../daemons/test-nodes.ts';

/** The waiting object. */
export interface Waiting {
  readonly resource: Resource;
  readonly object: KubeObject;
}

interface Fields {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

interface NodeFields {
  readonly name?: string;
  readonly isUnattended?: boolean;
}

export type Scenario = (stage: Stage) => Promise<Waiting>;

const patience = { tries: 1_200, pauseMs: 50 };
const capacity = { cpu: '64', memory: '256Gi', pods: '1000' };
export const onlyTaint = { key: testTaint, effect: 'NoSchedule' };

export class Stage {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Runs the command at the end of an explanation; throws if it fails. Absent: it is not tried. */
  readonly tryNext: ((explanation: Explanation) => Promise<unknown>) | undefined;
  #count = 0;
  readonly #outside: Waiting[] = [];

  constructor(client: KubeClient, namespace = 'default', tryNext?: Stage['tryNext']) {
    this.client = client;
    this.namespace = namespace;
    this.tryNext = tryNext;
  }

  /** With the given name, or a generated one. */
  async create(kind: keyof typeof resources, fields: Fields): Promise<Waiting> {
    return this.createAs(resources[kind], fields);
  }

  /** Also for a kind that Millrace does not know. */
  async createAs(resource: Resource, { metadata, ...rest }: Fields): Promise<Waiting> {
    this.#count += 1;
    const { group, version, kind, namespaced } = resource;
    const object = await this.client.create(resource, {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      metadata: {
        name: `${this.namespace}-wait-${this.#count}`,
        ...(namespaced ? { namespace: this.namespace } : {}),
        ...metadata,
      },
      ...rest,
    });
    const made = { resource, object };
    if (object.metadata.namespace !== this.namespace) this.#outside.push(made);
    return made;
  }

  /** Deletes the objects outside the namespace. */
  async cleanUp(): Promise<void> {
    for (const made of this.#outside.toReversed()) {
      try {
        await this.patch(made, { metadata: { finalizers: null } });
        await this.delete(made);
      } catch (error) {
        if (!(error instanceof MillraceError && error.code === 'MR_API_NOT_FOUND')) throw error;
      }
    }
  }

  /**
   * A node that only this test's DaemonJobs select and tolerate. `isUnattended`: no kubelet reports its state, so that
   * the test can.
   */
  async node({ name, isUnattended = false }: NodeFields = {}): Promise<Waiting> {
    this.#count += 1;
    const itsName = name ?? `${this.namespace}-n${this.#count}`;
    const made = await this.create('Node', {
      metadata: {
        name: itsName,
        labels: {
          'kubernetes.io/hostname': itsName,
          ...(isUnattended ? { 'test.millrace.dev/unattended': 'true' } : {}),
        },
      },
      spec: { taints: [onlyTaint] },
      status: {
        ...{ capacity, allocatable: capacity },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
    await this.until('node without the taints of a new one', async () => {
      const { spec } = (await this.now(made)) ?? {};
      const { taints = [] } = (spec ?? {}) as { readonly taints?: readonly unknown[] };
      return taints.length === 1 ? made : undefined;
    });
    return made;
  }

  async delete({ resource, object }: Waiting): Promise<void> {
    await this.client.delete(resource, keyOf(object), { propagation: 'Background' });
  }

  async patch(
    { resource, object }: Waiting,
    patch: JsonObject,
    options: Partial<PatchOptions> = {},
  ): Promise<void> {
    await this.client.patch(resource, keyOf(object), patch, { type: 'merge', ...options });
  }

  async now({ resource, object }: Waiting): Promise<KubeObject | undefined> {
    return this.client.get(resource, keyOf(object));
  }

  /** The first value that is found; throws if none comes. */
  async until<Found>(what: string, find: () => Promise<Found | undefined>): Promise<Found> {
    for (let tries = 0; tries < patience.tries; tries += 1) {
      const found = await find();
      if (found !== undefined) return found;
      await new Promise((resolve) => void setTimeout(resolve, patience.pauseMs));
    }
    throw new Error(`there is no ${what}`);
  }

  async job(name: string): Promise<Waiting> {
    const resource = resources.Job;
    const find = () => this.client.get(resource, { namespace: this.namespace, name });
    return { resource, object: await this.until(`Job ${name}`, find) };
  }

  /** As a kubelet reports a Pod whose container exited with 1. */
  async failPod(jobName: string): Promise<void> {
    const pod = await this.pod(jobName);
    const at = rfc3339(Date.now());
    const terminated = { exitCode: 1, startedAt: at, finishedAt: at };
    const container = { name: 'main', image: 'busybox', imageID: '', ready: false };
    const containerStatuses = [{ ...container, restartCount: 0, state: { terminated } }];
    const status = { phase: 'Failed', containerStatuses };
    await this.patch(pod, { status }, { subresource: 'status' });
  }

  /** The Pod of this Job. */
  async pod(jobName: string): Promise<Waiting> {
    const resource = resources.Pod;
    const object = await this.until(`Pod of ${jobName}`, async () => {
      const { items } = await this.client.list(resource, { namespace: this.namespace });
      return items.find(({ metadata }) => metadata.ownerReferences?.[0]?.name === jobName);
    });
    return { resource, object };
  }

  /** Returns when the Pod is gone and the status of its parent no longer names it, up to a second later. */
  async untilForgotten(pod: Waiting, parent: Waiting): Promise<void> {
    await this.until(`status without Pod ${pod.object.metadata.name}`, async () => {
      const [left, { status } = {}] = await Promise.all([this.now(pod), this.now(parent)]);
      const isNamed = JSON.stringify(status).includes(pod.object.metadata.name);
      return left === undefined && !isNamed ? true : undefined;
    });
  }
}

export function keyOf({ metadata }: KubeObject): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

export const podTemplate = (
  fields: object = {},
  command: readonly string[] = ['sleep', '6000'],
) => ({
  metadata: { annotations: { 'simulate.millrace.dev/run-for': '6000s' } },
  spec: { containers: [{ name: 'main', image: 'busybox', command }], ...fields },
});

export const step = (name: string, fields: object = {}) => ({
  name,
  jobTemplate: { template: podTemplate() },
  ...fields,
});

/** No kubelet takes it, so that a test can act as one. */
export const gated = { schedulingGates: [{ name: 'test.millrace.dev/hold' }] };
/** No controller has this name, so that a test can act as it. */
export const otherController = 'test.millrace.dev/controller';
export const held = { finalizers: ['test.millrace.dev/hold'] };

/** Waits until a Job of this name is refused: a policy takes effect a moment after it is stored. */
export async function untilRefused(stage: Stage, namespace: string): Promise<void> {
  const spec = { suspend: true, template: podTemplate({ restartPolicy: 'Never' }) };
  await stage.until('refusal of a Job', async () => {
    try {
      await stage.delete(
        await stage.create('Job', { metadata: { namespace, name: 'refused-probe' }, spec }),
      );
      return undefined;
    } catch (error) {
      if (error instanceof MillraceError && error.code === 'MR_API_FORBIDDEN') return true;
      throw error;
    }
  });
}
