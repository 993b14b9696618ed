/** Plain requests to a test API server, for calls that Millrace's clients do not have. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import type { Json, KubeObject } from '#shared/domain/objects.ts';
import type { ClusterFacts } from './cluster-setup.ts';

export interface Answer {
  readonly status: number;
  readonly body: Json;
  /** `message` of a metav1 Status; empty for an object. */
  readonly message: string;
}

export interface ApiRequests {
  readonly post: (path: string, body: unknown) => Promise<Answer>;
  readonly get: (path: string) => Promise<Answer>;
  readonly delete: (path: string) => Promise<Answer>;
  readonly mergePatch: (path: string, body: unknown) => Promise<Answer>;
  /** Server-side apply. */
  readonly apply: (path: string, body: unknown) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

/** As admin. */
export function apiRequests({ server, caFile, adminToken }: ClusterFacts): ApiRequests {
  const dispatcher = new Agent({ connect: { ca: readFileSync(caFile) } });
  const send = async (method: string, path: string, body?: unknown, type = 'application/json') => {
    const answer = await request(new URL(path, server), {
      dispatcher,
      method: method as 'GET',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, ...statusOf((await answer.body.json()) as Json) };
  };
  return {
    post: (path, body) => send('POST', path, body),
    get: (path) => send('GET', path),
    delete: (path) => send('DELETE', path),
    mergePatch: (path, body) => send('PATCH', path, body, 'application/merge-patch+json'),
    apply: (path, body) => send('PATCH', path, body, 'application/apply-patch+yaml'),
    close: () => dispatcher.close(),
  };
}

function statusOf(body: Json): Pick<Answer, 'body' | 'message'> {
  const { kind, message } = body as unknown as KubeObject & { message?: string };
  return { body, message: kind === 'Status' ? (message ?? '') : '' };
}
