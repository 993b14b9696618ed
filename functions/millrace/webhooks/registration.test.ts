import { beforeEach, describe, expect, it } from 'vitest';
import { protectKept, stampAuthor } from '#shared/admission/testing/sample-admissions.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { flowAdmissions } from '#functions/flow-admission/testing/admissions.ts';
import { suspendAdmissions } from '#functions/suspend-admission/testing/admissions.ts';
import { PolicyBook } from '#functions/suspend-admission/policy-book.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import { createSandbox } from '#sandbox';
import { register, unregister, type Owner, type RegistrationOptions } from './registration.ts';

const kinds = [
  resources.MutatingWebhookConfiguration,
  resources.ValidatingWebhookConfiguration,
] as const;
interface Webhook {
  readonly name: string;
  readonly failurePolicy: string;
}

const here: Owner = { host: 'here', pid: 7 };
let client: KubeClient;
let alive: readonly number[];

beforeEach(() => {
  const sandbox = createSandbox({ clock: { now: () => 0 }, random: Math.random });
  client = sandbox.client({ user: 'me', fieldManager: 'me' });
  alive = [];
});

const optionsOf = (owner: Owner): RegistrationOptions => ({
  ...{ client, owner },
  admissions: [stampAuthor, protectKept],
  url: 'https://127.0.0.1:1',
  authority: 'PEM',
  isAlive: (pid) => alive.includes(pid),
});

/** The owners of the existing registrations, by kind. */
async function owners(): Promise<readonly (readonly string[])[]> {
  const lists = await Promise.all(kinds.map((kind) => client.list(kind, {})));
  return lists.map(({ items }) =>
    items.map(({ metadata }) => metadata.annotations?.['millrace.dev/webhook-owner'] ?? '').sort(),
  );
}

it('registers webhooks of foreign kinds with Ignore, named after machine and process (registration-1, registration-2)', async () => {
  await register(optionsOf(here));
  const [mutating] = (await client.list(kinds[0], {})).items;
  expect(mutating).toMatchObject({
    metadata: { name: expect.stringMatching(/^millrace-[0-9a-f]{8}-7$/) as string },
    webhooks: [
      {
        name: 'stamp-author.millrace.dev',
        failurePolicy: 'Ignore',
        clientConfig: { url: 'https://127.0.0.1:1/stamp-author', caBundle: 'UEVN' },
      },
    ],
  });
  const [validating] = (await client.list(kinds[1], {})).items;
  expect(validating).toMatchObject({ webhooks: [{ failurePolicy: 'Ignore' }] });
});

it('leaves nothing at the end, and what others have alone', async () => {
  await register(optionsOf(here));
  await register(optionsOf({ host: 'there', pid: 7 }));
  await unregister(optionsOf(here));
  expect(await owners()).toEqual([['there/7'], ['there/7']]);
});

it("registers webhooks of Millrace's kinds as declared: they fail closed (registration-1)", async () => {
  const admissions = [
    ...flowAdmissions(defaultPolicy),
    ...suspendAdmissions({ policies: new PolicyBook(), clock: { now: () => 0 } }),
  ];
  await register({ ...optionsOf(here), admissions });
  const lists = await Promise.all(kinds.map((kind) => client.list(kind, {})));
  const webhooks = lists.flatMap(({ items }) =>
    items.flatMap((item) => (item as { readonly webhooks?: readonly Webhook[] }).webhooks ?? []),
  );
  expect(
    Object.fromEntries(webhooks.map(({ name, failurePolicy }) => [name, failurePolicy])),
  ).toEqual({
    'annotations.millrace.dev': 'Ignore',
    'flow-submitter.millrace.dev': 'Ignore',
    'suspension.millrace.dev': 'Ignore',
    'flow-validation.millrace.dev': 'Fail',
    'queue-validation.millrace.dev': 'Fail',
    'suspension-mark.millrace.dev': 'Ignore',
    'policy-validation.millrace.dev': 'Ignore',
  });
});

describe('a start removes', () => {
  it('what a process of this machine left that was killed (registration-2)', async () => {
    await register(optionsOf({ host: 'here', pid: 3 }));
    await register(optionsOf(here));
    expect(await owners()).toEqual([['here/7'], ['here/7']]);
  });

  it('what an earlier process of its own number left', async () => {
    await register(optionsOf(here));
    alive = [7];
    await register(optionsOf(here));
    expect(await owners()).toEqual([['here/7'], ['here/7']]);
  });

  it('nothing of a process that lives, and nothing of another machine', async () => {
    alive = [3];
    await register(optionsOf({ host: 'here', pid: 3 }));
    await register(optionsOf({ host: 'there', pid: 4 }));
    await register(optionsOf(here));
    const all = ['here/3', 'here/7', 'there/4'];
    expect(await owners()).toEqual([all, all]);
  });

  it('nothing that is not marked as ours', async () => {
    const foreign = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'foreign', annotations: { 'millrace.dev/webhook-owner': 'here/3' } },
    };
    await client.create(kinds[1], foreign);
    await register(optionsOf(here));
    expect(await owners()).toEqual([['here/7'], ['here/3', 'here/7']]);
  });
});
