/** The HTTP front of the sandbox: routes each request to its handler. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpDateOf } from '#shared/domain/time.ts';
import type { SandboxApi } from '../api/api.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { negotiate } from './accept.ts';
import {
  aggregatedDiscovery,
  aggregatedMediaType,
  aggregatedVersion,
} from './aggregated-discovery.ts';
import {
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  type ServedGroup,
} from './discovery.ts';
import { carriesToken, strangerFault, unauthorized } from './gate.ts';
import { Documents, type PublishedDocument } from './openapi/documents.ts';
import type { PodLogs } from '../api/pod-logs.ts';
import { noSuchResource, serveResource } from './resource-request.ts';
import {
  type Exchange,
  newExchange,
  sendDocument,
  sendFault,
  sendObject,
  sendText,
} from './respond.ts';
import { type Route, routeOf } from './route.ts';
import { versionInfo } from './version.ts';

export interface FrontOptions {
  readonly api: SandboxApi;
  readonly logs: PodLogs;
  /** The bearer token of requests (see newToken). */
  readonly token: string;
}

const json = 'application/json';
const plainText = 'text/plain; charset=utf-8';
const openapiProtobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

export class HttpFront {
  readonly #api: SandboxApi;
  readonly #logs: PodLogs;
  readonly #token: string;
  readonly #documents: Documents;
  readonly #streams = new Set<() => void>();

  constructor({ api, logs, token }: FrontOptions) {
    this.#api = api;
    this.#logs = logs;
    this.#token = token;
    this.#documents = new Documents(api.types);
  }

  /** Never rejects: every fault becomes an answer. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('date', httpDateOf(this.#api.clock.now()));
    const exchange = newExchange(request, response);
    try {
      const route = routeOf(exchange.path) ?? { kind: 'unknown' };
      this.#admit(exchange, route);
      await this.#serve(exchange, route);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else if (error instanceof NoSuchGroup) sendNotFoundPage(exchange);
      else sendFault(exchange, error, faultFormat(request));
    }
  }

  /** Ends all watches and followed logs. */
  endStreams(): void {
    for (const end of this.#streams) end();
  }

  /** Throws StatusError 401 and 403. A health check without a token gets no details. */
  #admit({ request, query }: Exchange, { kind }: Route): void {
    const fault = strangerFault(request);
    if (fault !== undefined) throw fault;
    const isProbe = kind === 'health' && request.headers.authorization === undefined;
    if (isProbe && query.size === 0) return;
    if (!carriesToken(request, this.#token)) throw unauthorized();
  }

  async #serve(exchange: Exchange, route: Route): Promise<void> {
    if (route.kind === 'resource') {
      const server = { api: this.#api, logs: this.#logs, streams: this.#streams };
      await serveResource(server, exchange, route.path);
      return;
    }
    if (route.kind === 'legacy-watch') throw legacyWatch();
    if (exchange.request.method !== 'GET') throw notAllowed();
    this.#serveStatic(exchange, route);
  }

  #serveStatic(
    exchange: Exchange,
    route: Exclude<Route, { kind: 'resource' | 'legacy-watch' }>,
  ): void {
    const documents = this.#documents;
    switch (route.kind) {
      case 'versions':
        this.#sendVersions(exchange);
        break;
      case 'groups':
        this.#sendDiscovery(exchange, 'apis', isNamed, apiGroupList);
        break;
      case 'group':
        sendDocument(exchange, this.#groupDocument(route.group), json);
        break;
      case 'resources':
        sendDocument(exchange, this.#resourceDocument(route.group, route.version), json);
        break;
      case 'openapi-v2':
        this.#sendOpenapiV2(exchange);
        break;
      case 'openapi-v3-index':
        sendDocument(exchange, documents.v3Index(), json);
        break;
      case 'openapi-v3':
        sendIfServed(exchange, documents.v3(route.path));
        break;
      case 'version':
        sendObject(exchange, 200, versionInfo);
        break;
      case 'health':
        sendText(exchange, 200, plainText, healthText(exchange, route.check));
        break;
      case 'root':
        sendObject(exchange, 200, { paths: rootPaths(documents.groups()) });
        break;
      case 'unknown':
        sendNotFoundPage(exchange);
        break;
    }
  }

  #sendVersions(exchange: Exchange): void {
    const address = exchange.request.headers.host ?? '';
    this.#sendDiscovery(exchange, 'api', isCore, () => apiVersions(address));
  }

  #sendDiscovery(
    exchange: Exchange,
    name: string,
    belongs: (group: ServedGroup) => boolean,
    plain: (groups: readonly ServedGroup[]) => object,
  ): void {
    const version = aggregatedVersion(exchange.request.headers.accept);
    if (version === undefined) {
      negotiate(exchange.request.headers.accept);
      sendObject(exchange, 200, plain(this.#documents.groups()));
      return;
    }
    const document = this.#documents.derived(`aggregated ${name}`, (groups) =>
      aggregatedDiscovery(version, groups.filter(belongs)),
    );
    sendDocument(exchange, document, aggregatedMediaType(version));
  }

  #groupDocument(name: string): PublishedDocument {
    const group = this.#group(name);
    return this.#documents.derived(name, () => apiGroup(group));
  }

  #resourceDocument(group: string, version: string): PublishedDocument {
    const served = this.#group(group).versions.find((known) => known.version === version);
    if (served === undefined) throw noSuchResource();
    return this.#documents.derived(`${group}/${version}`, () => apiResourceList(group, served));
  }

  /** client-go asks for protobuf alone and accepts nothing else. */
  #sendOpenapiV2(exchange: Exchange): void {
    const accept = exchange.request.headers.accept ?? '';
    if (accept.includes('proto-openapi.spec.v2')) {
      sendDocument(exchange, this.#documents.v2Protobuf(), openapiProtobuf);
    } else {
      sendDocument(exchange, this.#documents.v2Json(), json);
    }
  }

  #group(name: string): ServedGroup {
    const group = this.#documents.groups().find((known) => known.name === name);
    if (group === undefined) throw new NoSuchGroup();
    return group;
  }
}

/** Answered with a page of text, because nothing is served below the path of an unknown group. */
class NoSuchGroup extends Error {}

const isCore = ({ name }: ServedGroup): boolean => name === '';
const isNamed = ({ name }: ServedGroup): boolean => name !== '';

function legacyWatch(): StatusError {
  const message =
    'the sandbox does not serve the deprecated /watch/ paths: list with ?watch=true instead';
  return new StatusError(405, 'MethodNotAllowed', message, {});
}

function notAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return new StatusError(405, 'MethodNotAllowed', message, {});
}

function sendIfServed(exchange: Exchange, document: PublishedDocument | undefined): void {
  if (document === undefined) sendNotFoundPage(exchange);
  else sendDocument(exchange, document, json);
}

function sendNotFoundPage(exchange: Exchange): void {
  sendText(exchange, 404, plainText, '404 page not found\n');
}

function healthText({ query }: Exchange, check: string): string {
  return query.has('verbose') ? `[+]ping ok\n[+]store ok\n${check} check passed\n` : 'ok';
}

function rootPaths(groups: readonly ServedGroup[]): readonly string[] {
  const served = groups.flatMap(({ name, versions }) => {
    const root = name === '' ? '/api' : `/apis/${name}`;
    return [root, ...versions.map(({ version }) => `${root}/${version}`)];
  });
  const others = [
    '/apis',
    '/healthz',
    '/livez',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
  ];
  return [...served, ...others].sort();
}

function faultFormat(request: IncomingMessage): 'json' | 'yaml' {
  try {
    return negotiate(request.headers.accept).format;
  } catch {
    return 'json';
  }
}
