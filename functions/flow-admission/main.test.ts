/** The process itself, against a loopback API server. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { admissionProcess, type AdmissionProcess } from '#test/support/admission-process.ts';
import { flow, job, step } from './testing/reviews.ts';

vi.setConfig({ testTimeout: 30_000 });
const reviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const jobs = '/apis/batch/v1/namespaces/team-a/jobs';
const ann = { username: 'ann', groups: ['team-a'] };
let own: AdmissionProcess;

beforeEach(async () => {
  own = await admissionProcess();
});
afterEach(() => own[Symbol.asyncDispose]());

const start = (extra?: Record<string, string>) =>
  own.start(join(import.meta.dirname, 'main.ts'), extra);
const review = (url: string, path: string, object: JsonObject): Promise<JsonObject> =>
  own.review(url, { path, resource: resources.JobFlow, object, userInfo: ann });

const recorded = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: {
    ...(object['metadata'] as JsonObject),
    annotations: { 'millrace.dev/submitter': JSON.stringify(ann) },
  },
});

function answerAccess(status: JsonObject): void {
  own.api.once({ path: reviews }, (exchange) => exchange.json(201, { metadata: {}, status }));
}

it('records who submits and asks the API server what it has to know, under its own name', async () => {
  const child = start();
  const url = await child.url;
  const { api } = own;
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
  child.kill('SIGTERM');
  expect(await child.exit).toMatchObject({ code: 0, stderr: '' });
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
