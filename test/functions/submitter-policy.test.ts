import { expect, it } from 'vitest';
import { kinds } from '#functions/list.ts';
import { createSandbox } from '#sandbox';
import { annotations } from '#shared/domain/labels.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { type ResourceKind, resources } from '#shared/domain/resources.ts';
import { submitterText } from '#shared/domain/submitter.ts';
import { servedDefinitions } from '#shared/api/served-definitions.ts';

async function clientOf(user: string) {
  const sandbox = createSandbox({ clock: { now: () => 0 }, random: Math.random });
  const client = sandbox.client({ user, fieldManager: 'test' });
  for (const definition of servedDefinitions(kinds)) {
    await client.create(resources[definition.kind as ResourceKind], definition);
  }
  return client;
}

const flow = (text?: string): NewObject => ({
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobFlow',
  metadata: {
    name: 'etl',
    namespace: 'default',
    ...(text === undefined ? {} : { annotations: { [annotations.submitter]: text } }),
  },
  spec: { flows: [{ name: 'a', jobTemplateRef: 'none' }] },
});
const textOf = (username: string, groups = ['system:authenticated']) =>
  submitterText({ username, groups, extra: {} });

it.each(['ann', 'a "quoted" \\ user', 'system:serviceaccount:a:b'])(
  'lets %s be named only by that user',
  async (name) => {
    const client = await clientOf(name);
    await expect(client.create(resources.JobFlow, flow(textOf('bob')))).rejects.toMatchObject({
      code: 'MR_API_FORBIDDEN',
    });
    expect(await client.create(resources.JobFlow, flow(textOf(name)))).toMatchObject({
      kind: 'JobFlow',
    });
  },
);

it.each([
  ['other groups', textOf('ann', ['system:masters'])],
  ['no groups', textOf('ann', [])],
  ['more than there is', textOf('ann').replace(/\}$/, ',"extra":{"scopes":["x"]}}')],
  ['another spelling', textOf('ann').replace('{', '{ ')],
  ['no user', 'ann'],
])('refuses a text of %s', async (_, text) => {
  const client = await clientOf('ann');
  await expect(client.create(resources.JobFlow, flow(text))).rejects.toMatchObject({
    fields: { detail: expect.stringContaining('is written by Millrace; leave it out') as string },
  });
});

it('says nothing where none is written, and where it is left as it was or out', async () => {
  const client = await clientOf('ann');
  await client.create(resources.JobFlow, flow());
  const at = { namespace: 'default', name: 'etl' };
  const write = (text: string | null) =>
    client.patch(
      resources.JobFlow,
      at,
      { metadata: { annotations: { [annotations.submitter]: text, note: 'x' } } },
      { type: 'merge' },
    );
  await expect(write(textOf('bob'))).rejects.toMatchObject({ code: 'MR_API_FORBIDDEN' });
  expect(await write(textOf('ann'))).toMatchObject({ kind: 'JobFlow' });
  expect(await write(textOf('ann'))).toMatchObject({ kind: 'JobFlow' });
  expect(await write(null)).toMatchObject({ kind: 'JobFlow' });
});
