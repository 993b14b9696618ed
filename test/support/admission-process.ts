/** An admission as a process, with a certificate, against a loopback API server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { JsonObject } from '#shared/domain/objects.ts';
import { certificateFolder, newPair } from '#shared/runtime/testing/certificate-folder.ts';
import { type ChildMain, startMain } from '#shared/runtime/testing/child-main.ts';
import { testToken } from '#shared/runtime/testing/served-admissions.ts';
import { LoopbackApiServer } from './loopback-api-server.ts';
import { kubeconfigFor } from './loopback-kubeconfig.ts';

const pair = newPair();

export interface AdmissionRequest {
  /** Path of the admission below the process's URL. */
  readonly path: string;
  readonly resource: { readonly group: string; readonly version: string; readonly plural: string };
  readonly object: JsonObject;
  readonly userInfo: JsonObject;
}

export interface AdmissionProcess {
  readonly api: LoopbackApiServer;
  /** `main` is the path of its main file; only one process runs at a time. */
  start(main: string, extra?: Readonly<Record<string, string>>): ChildMain;
  /** The response to the creation of an object in `team-a`. Throws if the answer is not 200. */
  review(url: string, asked: AdmissionRequest): Promise<JsonObject>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function admissionProcess(): Promise<AdmissionProcess> {
  const api = await LoopbackApiServer.start();
  const certificate = await certificateFolder(pair);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-main-'));
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, kubeconfigFor(api.url));
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, `${testToken}\n`);
  const { certFile, keyFile } = certificate;
  const env = {
    ...{ KUBECONFIG: kubeconfig, PORT: '0' },
    ...{ MILLRACE_TLS_CERT_FILE: certFile, MILLRACE_TLS_KEY_FILE: keyFile },
    MILLRACE_REVIEW_TOKEN_FILE: tokenFile,
  };
  let child: ChildMain | undefined;
  return {
    api,
    start: (main, extra = {}) => (child = startMain(main, { ...env, ...extra })),
    review,
    [Symbol.asyncDispose]: async () => {
      child?.kill('SIGKILL');
      await child?.exit;
      await api.close();
      await certificate[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

async function review(url: string, asked: AdmissionRequest): Promise<JsonObject> {
  const { path, object, userInfo } = asked;
  const { group, version, plural } = asked.resource;
  const body = {
    ...{ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
    request: {
      ...{ uid: 'u', operation: 'CREATE', namespace: 'team-a', name: 'etl', object, userInfo },
      kind: { group, version, kind: object['kind'] },
      resource: { group, version, resource: plural },
    },
  };
  const dispatcher = new Agent({ connect: { ca: pair.cert } });
  try {
    const answer = await request(`${url}/${testToken}/${path}`, {
      ...{ method: 'POST', dispatcher, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json' },
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text}`);
    return (JSON.parse(text) as { readonly response: JsonObject }).response;
  } finally {
    await dispatcher.close();
  }
}
