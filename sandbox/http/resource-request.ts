/**
 * Requests below a group and version: they become a verb, a call to the API, and a shape of the
 * answer.
 */
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { maxStoredBytes } from '#shared/domain/stored-size.ts';
import type { SandboxApi } from '../api/api.ts';
import type { ApiCall, ApiVerb, CallOptions } from '../api/api-call.ts';
import { notFound, StatusError } from '../apimachinery/status-error.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import { type Accepted, negotiate } from './accept.ts';
import { verbsOf } from './discovery.ts';
import { serveLog } from './log-answer.ts';
import type { PodLogs } from '../api/pod-logs.ts';
import { deleteOptionsFromBody, isSet, optionsFromQuery } from './query-options.ts';
import { objectFromBody, patchFromBody, patchKindOf, readBody } from './request-body.ts';
import { type Exchange, sendObject, sendWarnings } from './respond.ts';
import type { ResourcePath } from './route.ts';
import type { Shaping } from './shaping.ts';
import { refusalOf, subresourcesOf } from './subresources.ts';
import { reviewed, virtualResourceAt } from './virtual-resources.ts';
import { streamWatch } from './watch-stream.ts';
import { shaped } from './wire-shape.ts';

export interface ResourceServer {
  readonly api: SandboxApi;
  readonly logs: PodLogs;
  /** Functions that end the open streams. */
  readonly streams: Set<() => void>;
}

/** Throws StatusError. */
export async function serveResource(
  server: ResourceServer,
  exchange: Exchange,
  path: ResourcePath,
): Promise<void> {
  const { api } = server;
  const virtual = virtualResourceAt(path);
  if (virtual !== undefined) {
    await serveReview(api, exchange, virtual, path);
    return;
  }
  const type = api.types.byPath(path.group, path.version, path.plural);
  if (type === undefined || !isPlaced(path, type)) throw noSuchResource();
  const { subresource, name } = path;
  const refusal = subresource === '' ? undefined : refusalOf(subresource);
  if (refusal !== undefined) throw refusal;
  const verb = verbOf(exchange, path, type);
  if (subresource === 'log') {
    serveLog(server, exchange, () => podAt(api, type, path));
    return;
  }
  const accepted = negotiate(exchange.request.headers.accept);
  const call = await callOf(exchange, path, type, verb);
  const shaping = shapingOf(exchange, type, accepted, api);
  if (verb === 'watch') {
    serveWatch(server, exchange, call, shaping);
    return;
  }
  const warnings: string[] = [];
  const answer = await api
    .handle(call, (text) => warnings.push(text))
    .finally(() => {
      sendWarnings(exchange, warnings);
    });
  const body = subresource === '' || name === '' ? shaped(answer.body, shaping()) : answer.body;
  sendObject(exchange, answer.code, body, accepted.format);
}

/** A namespaced type can also be listed and watched in all namespaces. */
function isPlaced({ namespace, name }: ResourcePath, { namespaced }: ResourceType): boolean {
  return namespaced ? namespace !== '' || name === '' : namespace === '';
}

export function noSuchResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

function notAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return new StatusError(405, 'MethodNotAllowed', message, {});
}

/** Throws StatusError 404, 405. */
function verbOf({ request, query }: Exchange, path: ResourcePath, type: ResourceType): ApiVerb {
  const { name, subresource, namespace } = path;
  const isCollection = name === '';
  const verb = methodVerb(request.method ?? '', isCollection, subresource, isSet(query, 'watch'));
  const served =
    subresource === ''
      ? verbsOf(type)
      : subresourcesOf(type).find((known) => known.name === subresource)?.verbs;
  if (served === undefined) {
    // For a custom resource the message has the name, whatever follows it in the path
    // (apiextensions-apiserver).
    throw type.isBuiltIn ? noSuchResource() : notFound(type, name);
  }
  if (verb === undefined || !served.includes(verb)) throw notAllowed();
  const isAcrossNamespaces = type.namespaced && namespace === '';
  if (isAcrossNamespaces && verb !== 'list' && verb !== 'watch') throw notAllowed();
  return verb;
}

function methodVerb(
  method: string,
  isCollection: boolean,
  subresource: string,
  watches: boolean,
): ApiVerb | undefined {
  switch (method) {
    case 'GET':
      return isCollection ? (watches ? 'watch' : 'list') : 'get';
    case 'POST':
      return isCollection || subresource !== '' ? 'create' : undefined;
    case 'PUT':
      return isCollection ? undefined : 'update';
    case 'PATCH':
      return isCollection ? undefined : 'patch';
    case 'DELETE':
      return isCollection ? 'deletecollection' : 'delete';
    default:
      return undefined;
  }
}

async function callOf(
  exchange: Exchange,
  path: ResourcePath,
  type: ResourceType,
  verb: ApiVerb,
): Promise<ApiCall> {
  const { namespace, name, subresource } = path;
  const { headers } = exchange.request;
  const options = optionsFromQuery(verb, exchange.query);
  const base = { verb, type, namespace, name, subresource };
  const writer = { defaultManager: managerOf(exchange), maxStoredBytes };
  switch (verb) {
    case 'get':
    case 'list':
    case 'watch':
      return { ...base, options };
    case 'delete':
    case 'deletecollection': {
      const body = objectFromBody(await readBody(exchange.request), headers['content-type'], '');
      return { ...base, options: withBody(options, body) };
    }
    case 'patch': {
      const patchKind = patchKindOf(headers['content-type'], type);
      const body = patchFromBody(await readBody(exchange.request), patchKind);
      return { ...base, patchKind, body, options, ...writer };
    }
    case 'create':
    case 'update': {
      const raw = await readBody(exchange.request);
      const body = objectFromBody(raw, headers['content-type'], type.kind);
      const sent = body === undefined ? {} : { body };
      return { ...base, ...sent, options, ...writer };
    }
  }
}

/** Options in a body replace those of the query, except for selectors. */
function withBody(options: CallOptions, body: Json | undefined): CallOptions {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return options;
  return { ...options, ...deleteOptionsFromBody(body as JsonObject) };
}

const maxManagerLength = 128;

/** Without a field manager, the first part of the user agent is used, up to the slash. */
function managerOf({ request }: Exchange): string {
  const [name = ''] = (request.headers['user-agent'] ?? 'unknown').split('/');
  return name.slice(0, maxManagerLength);
}

function shapingOf(
  { query }: Exchange,
  type: ResourceType,
  accepted: Accepted,
  api: SandboxApi,
): () => Shaping {
  const wanted = query.get('includeObject') ?? 'Metadata';
  if (wanted !== '' && wanted !== 'None' && wanted !== 'Metadata' && wanted !== 'Object') {
    throw new StatusError(
      400,
      'BadRequest',
      `unrecognized includeObject value: ${JSON.stringify(wanted)}`,
    );
  }
  const includeObject = wanted === '' ? 'Metadata' : wanted;
  return () => ({ type, accepted, includeObject, nowMs: api.clock.now() });
}

function serveWatch(
  { api, streams }: ResourceServer,
  { response }: Exchange,
  call: ApiCall,
  shaping: () => Shaping,
): void {
  const { timeoutSeconds } = call.options;
  const start: Parameters<typeof streamWatch>[0]['start'] = (onLine) => api.watch(call, onLine);
  const end = streamWatch({ response, start, shaping, timeoutSeconds });
  streams.add(end);
  response.on('close', () => streams.delete(end));
}

async function serveReview(
  api: SandboxApi,
  exchange: Exchange,
  resource: Parameters<typeof reviewed>[0],
  path: ResourcePath,
): Promise<void> {
  if (path.name !== '' || resource.namespaced !== (path.namespace !== '')) throw noSuchResource();
  if (exchange.request.method !== 'POST') throw notAllowed();
  const accepted = negotiate(exchange.request.headers.accept);
  const raw = await readBody(exchange.request);
  const body = objectFromBody(raw, exchange.request.headers['content-type'], resource.kind);
  const answer = reviewed(resource, (body ?? {}) as JsonObject, api.permits);
  sendObject(exchange, 201, answer, accepted.format);
}

function podAt(api: SandboxApi, type: ResourceType, path: ResourcePath): KubeObject {
  const { namespace, name } = path;
  const call = { verb: 'get', type, namespace, name, subresource: '', options: {} } as const;
  return api.handleNow(call).body as KubeObject;
}
