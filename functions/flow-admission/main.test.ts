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
import { flow, job, step } from './testing/reviews.ts';

vi.setConfig({ testTimeout: 30_000 });
const reviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const jobs = '/apis/batch/v1/namespaces/team-a/jobs';
const pair = newPair();
let api: LoopbackApiServer;
let folder: string;
let certificate: CertificateFolder;
let env: Record<string, string>;
let child: ChildMain | undefined;

beforeEach(async () => {
  api = await LoopbackApiServer.start();
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

const ann = { username: 'ann', groups: ['team-a'] };

async function review(url: string, path: string, object: JsonObject): Promise<JsonObject> {
  const kind = { group: 'api.practice.com', version: 'v1alpha1', kind: 'JobFlow' };
  const resource = { group: kind.group, version: kind.version, resource: 'jobflows' };
  const body = {
    ...{ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
    request: {
      ...{ uid: 'u', operation: 'CREATE', namespace: 'team-a', name: 'etl' },
      ...{ kind, resource, object, userInfo: ann },
    },
  };
  const dispatcher = new Agent({ connect: { ca: pair.cert } });
  try {
    const answer = await request(`${url}/${path}`, {
      ...{ method: 'POST', dispatcher, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.statusCode).toBe(200);
    return ((await answer.body.json()) as { readonly response: JsonObject }).response;
  } finally {
    await dispatcher.close();
  }
}

const recorded = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: {
    ...(object['metadata'] as JsonObject),
    annotations: { 'millrace.dev/submitter': JSON.stringify(ann) },
  },
});

function answerAccess(status: JsonObject): void {
  api.once({ path: reviews }, (exchange) => exchange.json(201, { metadata: {}, status }));
}

it('records who submits and asks the API server what it has to know, under its own name', async () => {
  const url = await start().url;
  const stamped = await review(url, 'flow-submitter', flow([step('a')]));
  expect(stamped).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
  answerAccess({ allowed: true });
  api.once({ path: jobs }, (exchange) =>
    exchange.json(201, { metadata: { name: 'etl-a', namespace: 'team-a' } }),
  );
  const checked = await review(url, 'flow-validation', recorded(flow([step('a')])));
  expect(checked).toEqual({ uid: 'u', allowed: true });
  expect(api.requests.map(({ path }) => path)).toEqual([reviews, jobs]);
  expect(api.requests[0]?.headers['user-agent']).toMatch(/^millrace\/.* \(flow-admission\)$/);
  child?.kill('SIGTERM');
  expect(await child?.exit).toMatchObject({ code: 0, stderr: '' });
});

it('takes its exceptions from the environment', async () => {
  const privileged = { name: 'main', image: 'x', securityContext: { privileged: true } };
  const object = recorded(flow([step('a', { jobTemplate: job({ containers: [privileged] }) })]));
  const url = await start({ MILLRACE_POLICY: 'privileged=warn' }).url;
  answerAccess({ allowed: true });
  expect(await review(url, 'flow-validation', object)).toMatchObject({ allowed: true });
});

it('does not start on a policy that says nothing, and names each fault', async () => {
  const { code, stderr } = await start({ MILLRACE_POLICY: 'hostpath=allow,nodeName=maybe' }).exit;
  expect(code).toBe(1);
  expect(stderr).toContain('MILLRACE_POLICY: "hostpath" is no rule; did you mean "hostPath"?');
  expect(stderr).toContain('MILLRACE_POLICY: "maybe" is not one of deny, warn, allow');
});
