/** The process itself, against a loopback API server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Agent, request } from 'undici';
import type { JsonObject } from '#shared/domain/objects.ts';
import {
  certificateFolder,
  newPair,
  type CertificateFolder,
} from '#shared/runtime/testing/certificate-folder.ts';
import { startMain, type ChildMain } from '#shared/runtime/testing/child-main.ts';
import { LoopbackApiServer } from '#test/support/loopback-api-server.ts';
import { kubeconfigFor } from '#test/support/loopback-kubeconfig.ts';
import { openDuring } from '#test/support/suspension/suspend-manifests.ts';
import { object, policy, queueLabel } from './testing/reviews.ts';

vi.setConfig({ testTimeout: 30_000 });
const millrace = '/apis/millrace.dev/v1alpha1';
const pair = newPair();
let api: LoopbackApiServer;
let folder: string;
let certificate: CertificateFolder;
let env: Record<string, string>;
let child: ChildMain | undefined;

const closed = policy('closed', { schedule: openDuring() });

beforeEach(async () => {
  api = await LoopbackApiServer.start();
  const lists: Readonly<Record<string, readonly object[]>> = {
    [`${millrace}/suspendpolicies`]: [closed],
    [`${millrace}/clustersuspendpolicies`]: [],
    '/api/v1/namespaces': [],
  };
  for (const [path, items] of Object.entries(lists)) {
    api.on({ path, watch: false }, (exchange) => exchange.list({ items, resourceVersion: '10' }));
    api.on({ path, watch: true }, (exchange) => void exchange.watch());
  }
  certificate = await certificateFolder(pair);
  folder = await mkdtemp(join(tmpdir(), 'millrace-main-'));
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, kubeconfigFor(api.url));
  const { certFile, keyFile } = certificate;
  env = {
    ...{ KUBECONFIG: kubeconfig, PORT: '0' },
    ...{ MILLRACE_TLS_CERT_FILE: certFile, MILLRACE_TLS_KEY_FILE: keyFile },
  };
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await child?.exit;
  child = undefined;
  await api.close();
  await certificate[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const start = (extra: Record<string, string> = {}): ChildMain =>
  (child = startMain(join(import.meta.dirname, 'main.ts'), { ...env, ...extra }));

async function review(url: string, created: JsonObject): Promise<JsonObject> {
  const kind = { group: 'batch', version: 'v1', kind: 'Job' };
  const body = {
    ...{ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
    request: {
      ...{ uid: 'u', operation: 'CREATE', namespace: 'team-a', name: 'etl', kind },
      resource: { group: 'batch', version: 'v1', resource: 'jobs' },
      object: created,
      userInfo: { username: 'ann' },
    },
  };
  const dispatcher = new Agent({ connect: { ca: pair.cert } });
  try {
    const answer = await request(`${url}/suspension`, {
      ...{ method: 'POST', dispatcher, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.statusCode).toBe(200);
    return ((await answer.body.json()) as { readonly response: JsonObject }).response;
  } finally {
    await dispatcher.close();
  }
}

it('suspends by the policies that it follows, and makes no request for an answer', async () => {
  const url = await start().url;
  const held = async () =>
    expect(await review(url, object('Job'))).toMatchObject({
      allowed: true,
      patchType: 'JSONPatch',
    });
  await vi.waitFor(held, { timeout: 10_000 });
  await vi.waitFor(() => expect(api.requests.filter(({ isWatch }) => isWatch)).toHaveLength(3));
  const before = api.requests.length;
  await held();
  expect(api.requests.slice(before)).toEqual([]);
  expect(api.requests[0]?.headers['user-agent']).toMatch(/^millrace\/.* \(suspend-admission\)$/);
  child?.kill('SIGTERM');
  expect(await child?.exit).toMatchObject({ code: 0, stderr: '' });
});

it('takes what Kueue manages from the environment', async () => {
  const url = await start({ MILLRACE_KUEUE_FRAMEWORKS: 'JobFlow.v1alpha1.api.practice.com' }).url;
  const spec = { managedBy: 'example.com/other' };
  const labelled = object('Job', { labels: { [queueLabel]: 'q' }, spec });
  expect(await review(url, labelled)).toEqual({ uid: 'u', allowed: true });
});

it('does not start on settings that say nothing', async () => {
  const { code, stderr } = await start({ MILLRACE_KUEUE_FRAMEWORKS: 'job' }).exit;
  expect(code).toBe(1);
  expect(stderr).toContain('MILLRACE_KUEUE_FRAMEWORKS: "job" is not Kind.version.group');
});
