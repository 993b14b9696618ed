/** Where the waits of the list are made to happen: objects of one cluster, written as a user writes them. */
import type { JsonObject, KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient, PatchOptions } from '#shared/kube/client.ts';

/** What waits. */
export interface Waiting {
  readonly resource: Resource;
  readonly object: KubeObject;
}

export type Scenario = (stage: Stage) => Promise<Waiting>;

const patience = { tries: 300, pauseMs: 50 };

export class Stage {
  readonly client: KubeClient;
  readonly namespace: string;
  #count = 0;

  constructor(client: KubeClient, namespace = 'default') {
    this.client = client;
    this.namespace = namespace;
  }

  /** The name is given, or one of its own. */
  async create(
    kind: keyof typeof resources,
    fields: { readonly metadata?: object; readonly spec?: object },
  ): Promise<Waiting> {
    const resource = resources[kind];
    this.#count += 1;
    const { metadata, ...rest } = fields;
    const { group, version } = resource;
    const object = await this.client.create(resource, {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      metadata: {
        name: `wait-${this.#count}`,
        ...(resource.namespaced ? { namespace: this.namespace } : {}),
        ...metadata,
      },
      ...rest,
    });
    return { resource, object };
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

  /** The first that is found; throws when it does not come. */
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

  /** The Pod of this Job. */
  async pod(jobName: string): Promise<Waiting> {
    const resource = resources.Pod;
    const object = await this.until(`Pod of ${jobName}`, async () => {
      const { items } = await this.client.list(resource, { namespace: this.namespace });
      return items.find(({ metadata }) => metadata.ownerReferences?.[0]?.name === jobName);
    });
    return { resource, object };
  }
}

export function keyOf({ metadata }: KubeObject): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

export const podTemplate = (
  fields: object = {},
  command: readonly string[] = ['sleep', '6000'],
) => ({
  spec: { containers: [{ name: 'main', image: 'busybox', command }], ...fields },
});

export const step = (name: string, fields: object = {}) => ({
  name,
  jobTemplate: { template: podTemplate() },
  ...fields,
});

/** No kubelet takes it, so that a test can be one. */
export const gated = { schedulingGates: [{ name: 'test.millrace.dev/hold' }] };
export const held = { finalizers: ['test.millrace.dev/hold'] };
