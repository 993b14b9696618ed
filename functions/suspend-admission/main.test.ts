/** The process itself, against a loopback API server. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { admissionProcess, type AdmissionProcess } from '#test/support/admission-process.ts';
import { openDuring } from '#test/support/suspension/suspend-manifests.ts';
import { object, policy, queueLabel } from './testing/reviews.ts';

vi.setConfig({ testTimeout: 30_000 });
const millrace = '/apis/millrace.dev/v1alpha1';
const lists: Readonly<Record<string, readonly object[]>> = {
  [`${millrace}/suspendpolicies`]: [policy('closed', { schedule: openDuring() })],
  [`${millrace}/clustersuspendpolicies`]: [],
  '/api/v1/namespaces': [],
  '/apis/kueue.x-k8s.io/v1beta2/localqueues': [],
};
let own: AdmissionProcess;

beforeEach(async () => {
  own = await admissionProcess();
  for (const [path, items] of Object.entries(lists)) {
    const all = { items, resourceVersion: '10' };
    own.api.on({ path, watch: false }, (exchange) => exchange.list(all));
    own.api.on({ path, watch: true }, (exchange) => void exchange.watch());
  }
});
afterEach(() => own[Symbol.asyncDispose]());

const start = (extra?: Record<string, string>) =>
  own.start(join(import.meta.dirname, 'main.ts'), extra);
const review = (url: string, created: JsonObject): Promise<JsonObject> =>
  own.review(url, {
    ...{ path: 'suspension', resource: resources.Job, object: created },
    userInfo: { username: 'ann' },
  });

it('suspends by the policies that it follows, and makes no request for an answer', async () => {
  const child = start();
  const url = await child.url;
  const { api } = own;
  const held = async () =>
    expect(await review(url, object('Job'))).toMatchObject({
      allowed: true,
      patchType: 'JSONPatch',
    });
  await vi.waitFor(held);
  await vi.waitFor(() => expect(api.requests.filter(({ isWatch }) => isWatch)).toHaveLength(4));
  const before = api.requests.length;
  await held();
  expect(api.requests.slice(before)).toEqual([]);
  expect(api.requests[0]?.headers['user-agent']).toMatch(/^millrace\/.* \(suspend-admission\)$/);
  child.kill('SIGTERM');
  expect(await child.exit).toMatchObject({ code: 0, stderr: '' });
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
