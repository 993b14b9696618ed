/**
 * flow-admission: time from the start of its process to the first answer, from source and as the deployed
 * bundle, each with and without Node's compile cache. It also measures the reviews after that.
 *
 * Its API server answers at once on loopback, so the times are its own.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent, request, type Dispatcher } from 'undici';
import { newReviewToken } from '#shared/runtime/admission/review-token.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { submitterText } from '#shared/domain/submitter.ts';
import { certificateFolder, newPair } from '#shared/runtime/testing/certificate-folder.ts';
import { startMain } from '#shared/runtime/testing/child-main.ts';
import { LoopbackApiServer } from '#test/support/loopback-api-server.ts';
import { kubeconfigFor } from '#test/support/loopback-kubeconfig.ts';
import { bundleOf } from '../../deploy/build/bundle.ts';
import { writeFiles } from '../../deploy/build/files.ts';
import { percentile } from './percentile.ts';

const { values: flags } = parseArgs({
  options: {
    starts: { type: 'string', default: '7' },
    reviews: { type: 'string', default: '300' },
  },
});
const root = join(import.meta.dirname, '../..');
const say = (line: string) => process.stdout.write(`${line}\n`);
const ann = { username: 'ann', groups: ['system:authenticated'] };

const step = (name: string, number: number): JsonObject => ({
  name,
  jobTemplate: {
    template: {
      metadata: { labels: { part: String(number) } },
      spec: { containers: [{ name: 'main', image: 'busybox:1.28' }] },
    },
  },
});

/** `different`: the number of steps with different Jobs. */
function reviewOf(steps: number, different: number): string {
  const flows = Array.from({ length: steps }, (_, at): Json => step(`s${at}`, at % different));
  const kind = { group: 'api.practice.com', version: 'v1alpha1', kind: 'JobFlow' };
  const submitter = submitterText({ ...ann, extra: {} });
  return JSON.stringify({
    ...{ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
    request: {
      ...{ uid: 'u', operation: 'CREATE', namespace: 'default', name: 'f', kind, userInfo: ann },
      resource: { group: kind.group, version: kind.version, resource: 'jobflows' },
      object: {
        ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow' },
        metadata: { name: 'f', annotations: { 'millrace.dev/submitter': submitter } },
        spec: { flows },
      },
    },
  });
}

async function answered(url: string, body: string, dispatcher: Dispatcher): Promise<number> {
  const sentMs = performance.now();
  const answer = await request(url, {
    ...{ method: 'POST', dispatcher, body },
    headers: { 'content-type': 'application/json' },
  });
  const text = await answer.body.text();
  if (!text.includes('"allowed":true')) throw new Error(`not allowed: ${text.slice(0, 500)}`);
  return performance.now() - sentMs;
}

const row = (name: string, times: readonly number[]): void => {
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(times, share).toFixed(1));
  say(`${name.padEnd(48)} p50 ${(p50 ?? '').padStart(7)} ms   p99 ${(p99 ?? '').padStart(7)} ms`);
};

// Inside the project, because the bundle's external packages are found from there.
const folder = await mkdtemp(join(root, 'node_modules', '.bench-admission-'));
const pair = newPair();
const certificate = await certificateFolder(pair);
const api = await LoopbackApiServer.start();
const dispatcher = new Agent({ connect: { ca: pair.cert } });
try {
  api.on({ path: /subjectaccessreviews$/ }, (exchange) =>
    exchange.json(201, { metadata: {}, status: { allowed: true } }),
  );
  api.on({ path: /jobs$/ }, (exchange) => exchange.json(201, { metadata: { name: 'f' } }));
  await writeFile(join(folder, 'kubeconfig'), kubeconfigFor(api.url));
  const { certFile, keyFile } = certificate;
  const env = {
    ...{ KUBECONFIG: join(folder, 'kubeconfig'), PORT: '0' },
    ...{ MILLRACE_TLS_CERT_FILE: certFile, MILLRACE_TLS_KEY_FILE: keyFile },
    MILLRACE_REVIEW_TOKEN_FILE: join(folder, 'token'),
  };
  const token = newReviewToken();
  await writeFile(join(folder, 'token'), token);
  const sources = join(root, 'functions/flow-admission/main.ts');
  await writeFiles(join(folder, 'bundle'), (await bundleOf('flow-admission', root)).files);
  const bundle = join(folder, 'bundle/main.js');
  const cache = { NODE_COMPILE_CACHE: join(folder, 'cache') };
  for (const [name, main, more] of [
    ['from the sources', sources, {}],
    ['from the sources, compile cache', sources, cache],
    ['as one file', bundle, {}],
    ['as one file, compile cache', bundle, cache],
  ] as const) {
    const times: number[] = [];
    // The first start fills the caches of Node and of the machine.
    for (let start = 0; start <= Number(flags.starts); start += 1) {
      const startedMs = performance.now();
      const child = startMain(main, { ...env, ...more });
      await answered(`${await child.url}/${token}/flow-submitter`, reviewOf(5, 1), dispatcher);
      if (start > 0) times.push(performance.now() - startedMs);
      child.kill('SIGTERM');
      await child.exit;
    }
    row(`first answer, ${name}`, times);
  }
  const child = startMain(sources, env);
  const url = await child.url;
  for (const [name, path, body] of [
    ['flow-submitter, 5 steps', 'flow-submitter', reviewOf(5, 1)],
    ['flow-validation, 5 steps that are alike', 'flow-validation', reviewOf(5, 1)],
    ['flow-validation, 5 different steps', 'flow-validation', reviewOf(5, 5)],
    ['flow-validation, 1,000 steps, 20 different', 'flow-validation', reviewOf(1_000, 20)],
  ] as const) {
    const times: number[] = [];
    for (let review = 0; review < Number(flags.reviews); review += 1) {
      times.push(await answered(`${url}/${token}/${path}`, body, dispatcher));
    }
    row(name, times);
  }
  child.kill('SIGTERM');
  await child.exit;
} finally {
  await dispatcher.close();
  await api.close();
  await certificate[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
