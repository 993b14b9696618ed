/** KubeClient over HTTP/1.1 with JSON: the verbs of the API as requests. */
import {
  apiPath,
  apiVersionOf,
  type JsonObject,
  type KubeObject,
  type NewObject,
  type ObjectName,
  type Resource,
} from '#shared/domain/objects.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { unreachable } from './api-error.ts';
import { ApiTransport, type ApiRequest, type TransportOptions } from './api-transport.ts';
import type {
  DeleteOptions,
  KubeClient,
  KubeList,
  ListOptions,
  PatchOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import { watchEvents } from './watch-events.ts';
import {
  jsonFromWire,
  listFromWire,
  objectFromWire,
  resourcesFromWire,
  statusFromWire,
  triedFromWire,
  Unparsable,
} from './wire-object.ts';

export type { RequestReport, TransportOptions } from './api-transport.ts';

/** The audit log groups requests by this: the program, its version and the component. */
export function userAgentOf(version: string, component: string): string {
  return `millrace/${version} (${component})`;
}

const patchContentTypes: Readonly<Record<PatchOptions['type'], string>> = {
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
  json: 'application/json-patch+json',
};

export interface HttpKubeClientOptions extends TransportOptions {
  /** The namespace of lists and watches that name none. Absent: all. */
  readonly namespace?: string | undefined;
}

export class HttpKubeClient implements KubeClient {
  readonly #transport: ApiTransport;
  readonly #namespace: string | undefined;

  constructor({ namespace, ...options }: HttpKubeClientOptions) {
    this.#transport = new ApiTransport(options);
    this.#namespace = namespace;
  }

  async get(
    resource: Resource,
    name: ObjectName,
    signal?: AbortSignal,
  ): Promise<KubeObject | undefined> {
    const request = requestFor('get', 'GET', resource, pathOf(resource, name), { signal });
    try {
      return await this.#object(resource, request);
    } catch (error) {
      if (hasCode(error, 'MR_API_NOT_FOUND')) return undefined;
      throw error;
    }
  }

  async list(resource: Resource, options: ListOptions): Promise<KubeList> {
    const request = requestFor('list', 'GET', resource, this.#listPath(resource, options), {
      signal: options.signal,
      query: queryOf(options, [
        'labelSelector',
        'fieldSelector',
        'limit',
        'continue',
        'resourceVersion',
        'resourceVersionMatch',
      ]),
    });
    return this.#parsed(request, (value) => listFromWire(value, resource));
  }

  async *watch(resource: Resource, options: WatchOptions): AsyncGenerator<WatchEvent, void> {
    const { signal } = options;
    if (isAborted(signal)) return;
    const query = queryOf(options, [
      'labelSelector',
      'fieldSelector',
      'resourceVersion',
      'timeoutSeconds',
    ]);
    query.set('watch', 'true');
    query.set('allowWatchBookmarks', 'true');
    const path = this.#listPath(resource, options);
    const request = { ...requestFor('watch', 'GET', resource, path, { query }), signal };
    try {
      yield* watchEvents(await this.#transport.stream(request), resource, request);
    } catch (error) {
      if (!isAborted(signal)) throw error;
    }
  }

  async create(
    resource: Resource,
    object: NewObject,
    options: WriteOptions = {},
  ): Promise<KubeObject> {
    const path = apiPath(resource, object.metadata.namespace);
    const request = requestFor('create', 'POST', resource, path, {
      query: writeQuery(options),
      body: object,
      signal: options.signal,
      onWarning: options.onWarning,
    });
    return this.#written(resource, request, options);
  }

  async discover(
    apiVersion: string,
    signal?: AbortSignal,
  ): Promise<readonly Resource[] | undefined> {
    const path = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}`;
    const request = {
      verb: 'discover',
      method: 'GET',
      resource: 'resources',
      path,
      signal,
    } as const;
    try {
      return await this.#parsed(request, (value) => resourcesFromWire(value, apiVersion));
    } catch (error) {
      if (hasCode(error, 'MR_API_NOT_FOUND')) return undefined;
      throw error;
    }
  }

  async review(resource: Resource, spec: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, spec };
    const request = requestFor('create', 'POST', resource, apiPath(resource, undefined), {
      body,
      signal,
    });
    return this.#parsed(request, (value) => statusFromWire(value, resource));
  }

  async patch(
    resource: Resource,
    name: ObjectName,
    patch: JsonObject | readonly JsonObject[],
    options: PatchOptions,
  ): Promise<KubeObject> {
    const query = writeQuery(options);
    if (options.force === true) query.set('force', 'true');
    const path = pathOf(resource, name, options.subresource);
    const request = requestFor('patch', 'PATCH', resource, path, {
      query,
      body: patch,
      contentType: patchContentTypes[options.type],
      onWarning: options.onWarning,
    });
    return this.#written(resource, request, options);
  }

  async delete(
    resource: Resource,
    name: ObjectName,
    options: DeleteOptions = {},
  ): Promise<KubeObject | undefined> {
    const body = deleteBody(options);
    const request = requestFor('delete', 'DELETE', resource, pathOf(resource, name), { body });
    return this.#parsed(request, (value) => remaining(value, resource));
  }

  #listPath(resource: Resource, { namespace }: Pick<ListOptions, 'namespace'>): string {
    return apiPath(resource, namespace ?? (resource.namespaced ? this.#namespace : undefined));
  }

  #object(resource: Resource, request: ApiRequest): Promise<KubeObject> {
    return this.#parsed(request, (value) => objectFromWire(value, resource));
  }

  /** An object that a dry run would have created has no version. */
  #written(
    resource: Resource,
    request: ApiRequest,
    { dryRun = false }: WriteOptions,
  ): Promise<KubeObject> {
    const parse = dryRun ? triedFromWire : objectFromWire;
    return this.#parsed(request, (value) => parse(value, resource));
  }

  async #parsed<T>(request: ApiRequest, parse: (value: unknown) => T): Promise<T> {
    const { body } = await this.#transport.send(request);
    try {
      return parse(jsonFromWire(body));
    } catch (error) {
      if (error instanceof Unparsable) throw unreachable(request, error.message, error);
      throw error;
    }
  }
}

/** A function, because the compiler assumes that a flag seen as false stays false. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function requestFor(
  verb: string,
  method: ApiRequest['method'],
  resource: Resource,
  path: string,
  rest: Partial<ApiRequest>,
): ApiRequest {
  return { verb, method, resource: resource.plural, path, ...rest };
}

function pathOf(resource: Resource, { namespace, name }: ObjectName, subresource?: string): string {
  const path = apiPath(resource, namespace, encodeURIComponent(name));
  return subresource === undefined ? path : `${path}/${subresource}`;
}

function queryOf<T extends object>(
  options: T,
  names: readonly (keyof T & string)[],
): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of names) {
    const value: unknown = options[name];
    if (typeof value === 'string' || typeof value === 'number') query.set(name, String(value));
  }
  return query;
}

function writeQuery(options: WriteOptions): URLSearchParams {
  const query = queryOf(options, ['fieldManager']);
  if (options.dryRun === true) query.set('dryRun', 'All');
  return query;
}

/** meta/v1 DeleteOptions. */
function deleteBody({
  uid,
  resourceVersion,
  propagation,
  gracePeriodSeconds,
}: DeleteOptions): JsonObject {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(uid === undefined && resourceVersion === undefined
      ? {}
      : { preconditions: { uid, resourceVersion } }),
  };
}

/**
 * The object in a delete's answer while finalizers or a grace period keep it. If it is gone at
 * once, the answer is a Status, or for some resources the last state.
 */
function remaining(value: unknown, resource: Resource): KubeObject | undefined {
  if (typeof value !== 'object' || value === null) throw new Unparsable('delete without an answer');
  if ('kind' in value && value.kind === 'Status') return undefined;
  const object = objectFromWire(value, resource);
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata as {
    readonly finalizers?: readonly string[];
    readonly deletionGracePeriodSeconds?: number;
  };
  return finalizers.length > 0 || deletionGracePeriodSeconds > 0 ? object : undefined;
}
