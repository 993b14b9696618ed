/** The KubeClient of Millrace's processes over a sandbox in the same process, without HTTP. */
import type { WaitingClock } from '#shared/domain/clock.ts';
import {
  apiPath,
  apiVersionOf,
  asResourceVersion,
  type Json,
  type JsonObject,
  type KubeObject,
  type NewObject,
  type ObjectName,
  type Resource,
} from '#shared/domain/objects.ts';
import { apiError, watchError } from '#shared/kube/api-error.ts';
import type {
  DeleteOptions,
  KubeClient,
  KubeList,
  ListOptions,
  PatchOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '#shared/kube/client.ts';
import { omitting } from '../apimachinery/json-value.ts';
import { accessStatus } from '../api/access.ts';
import type { SandboxApi } from '../api/api.ts';
import type { ApiAnswer, ObjectList, WatchLine } from '../api/api-answer.ts';
import type { ApiCall, ApiVerb, CallOptions, Warn } from '../api/api-call.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { LineQueue } from './line-queue.ts';

export interface ClientIdentity {
  /** The user in audit logs and webhooks. */
  readonly user: string;
  /** Field manager of writes that name none. */
  readonly fieldManager: string;
  /** Limit for a stored object in bytes. Absent: no limit. */
  readonly maxStoredBytes?: number;
}

type Target = Partial<Pick<ApiCall, 'namespace' | 'name' | 'subresource' | 'body' | 'patchKind'>>;

/**
 * Errors are those of the HTTP client. A watch ends after its `timeoutSeconds` if the sandbox's clock can wait, and
 * otherwise only by its signal.
 */
export function sandboxClient(api: SandboxApi, identity: ClientIdentity): KubeClient {
  return new SandboxClient(api, identity);
}

class SandboxClient implements KubeClient {
  readonly #api: SandboxApi;
  readonly #identity: ClientIdentity;

  constructor(api: SandboxApi, identity: ClientIdentity) {
    this.#api = api;
    this.#identity = identity;
  }

  async get(
    resource: Resource,
    name: ObjectName,
    signal?: AbortSignal,
  ): Promise<KubeObject | undefined> {
    signal?.throwIfAborted();
    try {
      return bare((await this.#send('get', resource, name, {})).body as KubeObject);
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw this.#failure(error, 'get', resource, name);
    }
  }

  async list(resource: Resource, options: ListOptions): Promise<KubeList> {
    const { signal, namespace = '', ...rest } = options;
    signal?.throwIfAborted();
    const target = { namespace };
    const { body } = await this.#answer('list', resource, target, rest);
    const { metadata, items } = body as ObjectList;
    return {
      resourceVersion: asResourceVersion(metadata.resourceVersion),
      ...(metadata.continue === undefined ? {} : { continue: metadata.continue }),
      items: items.map(bare),
    };
  }

  async *watch(resource: Resource, options: WatchOptions): AsyncGenerator<WatchEvent, void> {
    const { signal, namespace = '', timeoutSeconds, ...rest } = options;
    if (signal.aborted) return;
    const lines = new LineQueue<WatchLine>();
    const target = { namespace };
    const end = this.#open(resource, target, { ...rest, allowWatchBookmarks: true }, lines);
    const ended = new AbortController();
    const close = (): void => lines.close();
    signal.addEventListener('abort', close, { once: true });
    void this.#wait(timeoutSeconds, ended.signal)?.then(close);
    try {
      for await (const line of lines) yield eventOf(line);
    } finally {
      signal.removeEventListener('abort', close);
      ended.abort();
      end();
    }
  }

  async create(
    resource: Resource,
    object: NewObject,
    options: WriteOptions = {},
  ): Promise<KubeObject> {
    const { namespace = '' } = object.metadata;
    const target = { namespace, body: copied(object as unknown as Json) };
    const { onWarning, signal, ...rest } = options;
    signal?.throwIfAborted();
    const answer = await this.#answer('create', resource, target, rest, onWarning);
    return bare(answer.body as KubeObject);
  }

  async discover(
    apiVersion: string,
    signal?: AbortSignal,
  ): Promise<readonly Resource[] | undefined> {
    signal?.throwIfAborted();
    const served = this.#api.types.all().filter((type) => apiVersionOf(type) === apiVersion);
    if (served.length === 0) return undefined;
    return served.map(({ group, version, plural, kind, namespaced }) => ({
      ...{ group, version, plural, kind, namespaced },
    }));
  }

  async review(resource: Resource, spec: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    signal?.throwIfAborted();
    if (resource.plural === 'subjectaccessreviews') return accessStatus(spec, this.#api.permits);
    const message = `the sandbox answers no ${resource.kind} of its own processes`;
    throw this.#failure(new StatusError(501, 'NotImplemented', message), 'create', resource, {});
  }

  async patch(
    resource: Resource,
    name: ObjectName,
    patch: JsonObject | readonly JsonObject[],
    options: PatchOptions,
  ): Promise<KubeObject> {
    const { type, subresource = '', onWarning, signal, ...rest } = options;
    const target = { ...name, subresource, patchKind: type, body: copied(patch) };
    const answer = await this.#answer('patch', resource, target, rest, onWarning);
    return bare(answer.body as KubeObject);
  }

  async delete(
    resource: Resource,
    name: ObjectName,
    options: DeleteOptions = {},
  ): Promise<KubeObject | undefined> {
    const { uid, resourceVersion, propagation, gracePeriodSeconds } = options;
    const { body } = await this.#answer('delete', resource, name, {
      ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      preconditions: {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    });
    if (body.kind === 'Status') return undefined;
    const object = body as KubeObject;
    const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata as Remaining;
    return finalizers.length > 0 || deletionGracePeriodSeconds > 0 ? bare(object) : undefined;
  }

  async #answer(
    verb: ApiVerb,
    resource: Resource,
    target: Target,
    options: CallOptions,
    warn?: Warn,
  ): Promise<ApiAnswer> {
    try {
      return await this.#send(verb, resource, target, options, warn);
    } catch (error) {
      throw this.#failure(error, verb, resource, target);
    }
  }

  async #send(
    verb: ApiVerb,
    resource: Resource,
    target: Target,
    options: CallOptions,
    warn?: Warn,
  ): Promise<ApiAnswer> {
    return this.#api.handle(this.#call(verb, resource, target, options), warn);
  }

  #open(
    resource: Resource,
    target: Target,
    options: CallOptions,
    lines: LineQueue<WatchLine>,
  ): () => void {
    try {
      const call = this.#call('watch', resource, target, options);
      return this.#api.watch(call, (line) => lines.push(line));
    } catch (error) {
      throw this.#failure(error, 'watch', resource, target);
    }
  }

  #call(verb: ApiVerb, resource: Resource, target: Target, options: CallOptions): ApiCall {
    const { group, version, plural } = resource;
    const type = this.#api.types.byPath(group, version, plural);
    if (type === undefined) {
      throw new StatusError(
        404,
        'NotFound',
        'the server could not find the requested resource',
        {},
      );
    }
    const { user, fieldManager, maxStoredBytes } = this.#identity;
    const owned = { ...options, fieldManager: options.fieldManager ?? fieldManager };
    return {
      verb,
      type,
      namespace: '',
      name: '',
      subresource: '',
      ...target,
      user,
      options: owned,
      ...(maxStoredBytes === undefined ? {} : { maxStoredBytes }),
    };
  }

  #failure(error: unknown, verb: string, resource: Resource, target: Target): unknown {
    if (!(error instanceof StatusError)) return error;
    const path = apiPath(resource, target.namespace, target.name);
    const whole = (target.subresource ?? '') === '' ? path : `${path}/${target.subresource ?? ''}`;
    const label = { verb, path: whole };
    const status = error.toStatus();
    if (verb === 'watch') return watchError(label, status);
    return apiError(label, error.code, JSON.stringify(status));
  }

  /** Undefined for a clock that cannot wait. */
  #wait(seconds: number, signal: AbortSignal): Promise<void> | undefined {
    const clock = this.#api.clock as Partial<WaitingClock>;
    return clock.sleep?.(seconds * 1000, signal);
  }
}

interface Remaining {
  readonly finalizers?: readonly string[];
  readonly deletionGracePeriodSeconds?: number;
}

const bareObjects = new WeakMap<KubeObject, KubeObject>();

/** The object without metadata.managedFields, as the HTTP client returns it. Always the same reference. */
function bare(object: KubeObject): KubeObject {
  if (!('managedFields' in object.metadata)) return object;
  let known = bareObjects.get(object);
  if (known === undefined) {
    const metadata = Object.freeze(omitting(object.metadata, 'managedFields'));
    known = Object.freeze({ ...object, metadata });
    bareObjects.set(object, known);
  }
  return known;
}

function eventOf(line: WatchLine): WatchEvent {
  if (line.type !== 'BOOKMARK') return { type: line.type, object: bare(line.object) };
  const { resourceVersion } = line.object.metadata;
  return { type: 'BOOKMARK', resourceVersion: asResourceVersion(resourceVersion) };
}

/**
 * A frozen copy for the caller. Frozen parts are copied as well: they were checked and completed by the rules of
 * another object.
 */
function copied(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => copied(item));
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const member = (value as JsonObject)[key];
    if (member !== undefined) copy[key] = copied(member);
  }
  return copy;
}
