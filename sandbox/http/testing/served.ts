/** A sandbox behind its HTTP front, and requests as a client makes them. */
import { seeded } from '../../apimachinery/testing/seeded.ts';
import { createSandbox, type Sandbox } from '../../sandbox.ts';
import { newToken } from '../gate.ts';
import { listen, type Listening } from '../listen.ts';
import type { ContainerLog } from '../../api/pod-logs.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined when the body is not JSON. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

export interface Served extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly listening: Listening;
  /** The header with the token. */
  readonly authorization: { readonly authorization: string };
  /** Output of containers by `pod/container`, with `previous` appended for the run before. */
  readonly logs: Map<string, ContainerLog>;
  /** `request`: as `GET /api/v1/pods`. An object is sent as JSON. */
  ask(request: string, body?: object | string, headers?: Record<string, string>): Promise<Answer>;
}

/** The clock starts at 2026-01-01T00:00:00Z. */
export const nowMs = Date.UTC(2026, 0, 1);

export async function served(): Promise<Served> {
  const sandbox = createSandbox({ clock: { now: () => nowMs }, random: seeded(1) });
  const logs = new Map<string, ContainerLog>();
  const logsOf: Parameters<typeof listen>[0]['logs']['logsOf'] = (pod, container, previous) =>
    logs.get(`${pod.metadata.name}/${container}${previous ? '/previous' : ''}`);
  const { api } = sandbox;
  const token = newToken();
  const authorization = { authorization: `Bearer ${token}` };
  const listening = await listen({ api, logs: { logsOf }, token, host: '127.0.0.1', port: 0 });
  return {
    sandbox,
    listening,
    authorization,
    logs,
    ask: (request, body, headers = {}) =>
      ask(listening.url, request, body, { ...authorization, ...headers }),
    [Symbol.asyncDispose]: () => listening.close(),
  };
}

async function ask(
  url: string,
  request: string,
  body: object | string | undefined,
  headers: Record<string, string>,
): Promise<Answer> {
  const [method = 'GET', path = '/'] = request.split(' ');
  const response = await fetch(url + path, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let json: Answer['json'];
  try {
    json = JSON.parse(text) as Answer['json'];
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

export const configMaps = '/api/v1/namespaces/default/configmaps';

export function configMap(name: string, data: Record<string, string> = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}
