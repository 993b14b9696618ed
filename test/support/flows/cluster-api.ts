/** The test users' access to the API server, independent of the product's client. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { apiPath, type KubeObject, type ObjectName } from '#shared/domain/objects.ts';
import { type ResourceKind, resources } from '#shared/domain/resources.ts';

export interface ClusterAddress {
  readonly server: string;
  /** PEM file. */
  readonly caFile: string;
  readonly token: string;
}

/** The API server refused. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

/** The field manager of tests, distinct from every manager of the product. */
const fieldManager = 'test-user';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

export class ClusterApi {
  readonly #address: ClusterAddress;
  readonly #agent: Agent;

  constructor(address: ClusterAddress) {
    this.#address = address;
    this.#agent = new Agent({
      connect: { ca: readFileSync(address.caFile, 'utf8') },
      // No time limit, because a watch may be silent for minutes.
      bodyTimeout: 0,
    });
  }

  /** Server-side apply, as `kubectl apply --server-side --force-conflicts`. Throws ApiRefusal. */
  async apply(namespace: string, object: Manifest): Promise<KubeObject> {
    const kind = object.kind as ResourceKind;
    const path = pathOf(kind, { namespace, name: object.metadata.name });
    const query = `?fieldManager=${fieldManager}&force=true`;
    return this.#send('PATCH', path + query, object, 'application/apply-patch+yaml');
  }

  /** A plain create, as `kubectl create`. Throws ApiRefusal. */
  async create(namespace: string, object: Manifest): Promise<KubeObject> {
    const kind = object.kind as ResourceKind;
    const path = apiPath(resources[kind], namespace === '' ? undefined : namespace);
    return this.#send('POST', path, object, 'application/json');
  }

  /** A JSON merge patch. Throws ApiRefusal. */
  async patch(
    kind: ResourceKind,
    target: ObjectName,
    patch: unknown,
    subresource?: 'status',
  ): Promise<KubeObject> {
    const suffix = subresource === undefined ? '' : `/${subresource}`;
    const type = 'application/merge-patch+json';
    return this.#send('PATCH', pathOf(kind, target) + suffix, patch, type);
  }

  /** Replaces the whole status, including absent fields, as only a test does. */
  async replaceStatus(kind: ResourceKind, target: ObjectName, status: unknown): Promise<void> {
    const object = await this.get(kind, target);
    const type = 'application/json';
    await this.#send('PUT', `${pathOf(kind, target)}/status`, { ...object, status }, type);
  }

  /** Returns when the API server has accepted the deletion; finalizers may keep the object. */
  async delete(
    kind: ResourceKind,
    target: ObjectName,
    propagationPolicy: 'Foreground' | 'Background' | 'Orphan' = 'Background',
  ): Promise<void> {
    await this.#send('DELETE', pathOf(kind, target), { propagationPolicy }, 'application/json');
  }

  /** Deletes those of one namespace by one request; returns when the API server has accepted it. */
  async deleteAll(kind: ResourceKind, namespace: string): Promise<void> {
    const order = { propagationPolicy: 'Background' };
    await this.#send('DELETE', apiPath(resources[kind], namespace), order, 'application/json');
  }

  async get(kind: ResourceKind, target: ObjectName): Promise<KubeObject | undefined> {
    try {
      return await this.#send('GET', pathOf(kind, target));
    } catch (error) {
      if (error instanceof ApiRefusal && error.code === 404) return undefined;
      throw error;
    }
  }

  /** Absent `namespace`: all namespaces. */
  async list(
    kind: ResourceKind,
    namespace?: string,
  ): Promise<{ readonly items: readonly KubeObject[]; readonly resourceVersion: string }> {
    const list = (await this.#send('GET', apiPath(resources[kind], namespace))) as unknown as {
      items: KubeObject[];
      metadata: { resourceVersion: string };
    };
    return { items: list.items, resourceVersion: list.metadata.resourceVersion };
  }

  /** Every change in the whole cluster after `resourceVersion`, until `signal` aborts. */
  async *watch(
    kind: ResourceKind,
    resourceVersion: string,
    signal: AbortSignal,
  ): AsyncIterable<WatchLine> {
    const query = `?watch=true&resourceVersion=${resourceVersion}`;
    const { body } = await this.#request('GET', apiPath(resources[kind], undefined) + query, {
      signal,
    });
    let rest = '';
    for await (const chunk of body.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line) as WatchLine;
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #send(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<KubeObject> {
    const options = {
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
    };
    for (;;) {
      const { statusCode, body: answer } = await this.#request(method, path, options);
      const text = await answer.text();
      if (statusCode < 400) return JSON.parse(text) as KubeObject;
      // "storage is (re)initializing", for a moment after a CRD became Established.
      if (statusCode !== 429) throw refusalFrom(statusCode, text);
      await sleep(250);
    }
  }

  #request(
    method: Dispatcher.HttpMethod,
    path: string,
    options: {
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly signal?: AbortSignal;
    },
  ): Promise<Dispatcher.ResponseData> {
    const { server, token } = this.#address;
    return this.#agent.request({
      origin: server,
      path,
      method,
      ...options,
      headers: { ...options.headers, accept: 'application/json', authorization: `Bearer ${token}` },
    });
  }
}

function pathOf(kind: ResourceKind, { namespace, name }: ObjectName): string {
  return apiPath(resources[kind], namespace === '' ? undefined : namespace, name);
}

function refusalFrom(code: number, text: string): ApiRefusal {
  try {
    return new ApiRefusal(code, (JSON.parse(text) as { message: string }).message);
  } catch {
    return new ApiRefusal(code, text);
  }
}
