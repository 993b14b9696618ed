/**
 * A web page, another process of this machine, or a host name that resolves to 127.0.0.1 can
 * neither change nor read anything of a running `millrace up --run-commands`.
 */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { type CommandLine, commandLine } from '#functions/millrace/testing/cli.ts';

type HeaderValues = Readonly<Record<string, string>>;

let cli: CommandLine;
let kubeconfig: string;
let server: string;
let control: string;
let authorization: string;
/** Trusts the sandbox's certificate, as a user with its kubeconfig does. */
let agent: Agent;

beforeAll(async () => {
  cli = await commandLine();
  const run = cli.start(['up', '--port', '0', '--headless', '--run-commands']);
  [, kubeconfig = ''] = await run.printed(/export KUBECONFIG=(\S+)\n/);
  const state = JSON.parse(await readFile(join(dirname(kubeconfig), 'up.json'), 'utf8')) as {
    readonly server: string;
    readonly control: string;
  };
  ({ server, control } = state);
  authorization = `Bearer ${await tokenOf(kubeconfig)}`;
  // The sandbox checks a rebound name as well, for clients that ignore the certificate.
  agent = new Agent({
    connect: { ca: await authorityOf(kubeconfig), checkServerIdentity: () => undefined },
  });
}, 60_000);
afterAll(async () => {
  await agent.destroy();
  await cli[Symbol.asyncDispose]();
});

async function tokenOf(file: string): Promise<string> {
  const { users } = parse(await readFile(file, 'utf8')) as {
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  return users[0]!.user.token;
}

async function authorityOf(file: string): Promise<string> {
  const { clusters } = parse(await readFile(file, 'utf8')) as {
    readonly clusters: readonly {
      readonly cluster: { readonly 'certificate-authority-data': string };
    }[];
  };
  return Buffer.from(clusters[0]!.cluster['certificate-authority-data'], 'base64').toString();
}

async function ask(base: string, asked: string, headers: HeaderValues, body?: string) {
  const [method = 'GET', path = '/'] = asked.split(' ');
  const answer = await request(base + path, {
    method: method as 'GET',
    dispatcher: agent,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

const pods = '/api/v1/namespaces/default/pods';
const podThatWrites = (file: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'intruder-' },
    spec: {
      containers: [{ name: 'c', image: 'none', command: ['sh', '-c', `touch ${file}`] }],
    },
  });

const paths = [
  'GET /api/v1/namespaces/kube-system/secrets',
  'GET /api/v1/configmaps?watch=1&timeoutSeconds=1',
  'GET /api/v1/namespaces/default/pods/p/log?follow=true',
  'POST /api/v1/namespaces/default/pods/p/exec',
  'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  'DELETE /api/v1/namespaces/default/pods',
  'OPTIONS /api/v1/namespaces/default/pods',
  'HEAD /api/v1/namespaces/default/pods',
  'GET /',
  'GET /api',
  'GET /apis',
  'GET /apis/batch/v1',
  'GET /openapi/v2',
  'GET /openapi/v3',
  'GET /version',
  'GET /nothing',
  'GET /healthz?verbose',
];

describe('sandbox: without the token of its kubeconfig', () => {
  test.each(paths)('%s is answered 401 and nothing else', async (asked) => {
    for (const headers of [{}, { authorization: 'Bearer millrace-sandbox' }] as HeaderValues[]) {
      const { status, text } = await ask(server, asked, headers);
      expect(status).toBe(401);
      if (asked.startsWith('HEAD')) continue;
      expect(JSON.parse(text)).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Unauthorized',
        reason: 'Unauthorized',
        code: 401,
      });
    }
  });

  test('a part of the token, and the token with more behind it, are none', async () => {
    for (const other of [
      authorization.slice(0, -1),
      authorization.replace(/.{3}$/, 'no!'),
      `${authorization}A`,
      'Bearer ',
      'Basic eDp5',
    ]) {
      expect((await ask(server, `GET ${pods}`, { authorization: other })).status).toBe(401);
    }
    expect((await ask(server, `GET ${pods}`, { authorization })).status).toBe(200);
  });

  test('a Pod is not created, and its command does not run', async () => {
    const file = join(cli.stateHome, 'without-token');
    const { status } = await ask(server, `POST ${pods}`, {}, podThatWrites(file));
    expect(status).toBe(401);
    expect(await podCount()).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  test.each(['healthz', 'livez', 'readyz'])('%s says ok, and no more', async (check) => {
    expect(await ask(server, `GET /${check}`, {})).toMatchObject({ status: 200, text: 'ok' });
  });

  test.each([
    ['GET /events/of/x', 401],
    ['POST /events/x/redeliver', 401],
    ['GET /nothing', 404],
  ] as const)('the control port answers %s with %i', async (asked, refusal) => {
    const { status, text } = await ask(control, asked, { 'x-millrace-control': 'demo' });
    expect(status).toBe(refusal);
    expect(text).not.toContain('millrace_');
  });
});

const webPages: readonly (readonly [string, HeaderValues])[] = [
  ['an Origin', { origin: 'https://evil.example' }],
  ['the Origin of a page of this machine', { origin: 'http://localhost:3000' }],
  ['the Origin null of a sandboxed frame', { origin: 'null' }],
  ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['Sec-Fetch-Site: same-origin', { 'sec-fetch-site': 'same-origin' }],
  ['a foreign Host', { host: 'evil.example' }],
  ['a Host that only begins like ours', { host: '127.0.0.1.evil.example' }],
  ['the Host without its port', { host: '127.0.0.1' }],
  ['the Host of another port', { host: 'localhost:1' }],
];

describe('sandbox: a web page, even with the token,', () => {
  test.each(webPages)('is refused by %s and starts no command', async (_what, headers) => {
    const file = join(cli.stateHome, 'from-a-page');
    const asPage = { authorization, ...headers };
    const created = await ask(server, `POST ${pods}`, asPage, podThatWrites(file));
    const secrets = await ask(server, 'GET /api/v1/secrets', asPage);
    const preflight = await ask(server, `OPTIONS ${pods}`, {
      ...headers,
      'access-control-request-method': 'POST',
    });
    const health = await ask(server, 'GET /healthz', headers);
    for (const answer of [created, secrets, preflight, health]) {
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', reason: 'Forbidden' });
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-'))).toEqual([]);
    }
    expect(await podCount()).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  test.each(webPages)('is refused by the control port for %s', async (_what, headers) => {
    const asPage = { authorization, 'x-millrace-control': 'demo', ...headers };
    for (const asked of ['GET /metrics', 'POST /events/x/redeliver', 'GET /health/liveness']) {
      expect((await ask(control, asked, asPage)).status).toBe(403);
    }
  });

  test('is refused also where it sends no content type, as a form does', async () => {
    const file = join(cli.stateHome, 'by-a-form');
    const form = { origin: 'https://evil.example', 'content-type': 'text/plain' };
    expect((await ask(server, `POST ${pods}`, form, podThatWrites(file))).status).toBe(403);
    expect(existsSync(file)).toBe(false);
  });
});

test('sandbox: each of its names and addresses on this machine is answered', async () => {
  const { port } = new URL(server);
  for (const host of [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `[::1]:${port}`,
    `LOCALHOST:${port}`,
  ]) {
    const { status } = await ask(server, `GET ${pods}`, { authorization, host });
    expect(status, host).toBe(200);
  }
});

test('sandbox: the token is in a file that only its owner reads, and is new at each start', async () => {
  expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(kubeconfig))).mode & 0o777).toBe(0o700);
  const other = cli.start(['up', '--port', '0', '--headless']);
  const [, file = ''] = await other.printed(/export KUBECONFIG=(\S+)\n/);
  const tokens = await Promise.all([kubeconfig, file].map(tokenOf));
  expect(new Set(tokens).size).toBe(2);
  // 256 bits in base64url.
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
});

async function podCount(): Promise<number> {
  const connection = await loadConnection({ kubeconfig });
  try {
    const client = new HttpKubeClient({ connection, userAgent: 'test' });
    return (await client.list(resources.Pod, { namespace: 'default' })).items.length;
  } finally {
    await connection.close();
  }
}
