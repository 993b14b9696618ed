import { expect, it } from 'vitest';
import { asResourceVersion } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { apiReader, mostRecent } from './api-reader.ts';
import type { KubeClient, ListOptions } from './client.ts';

function listing() {
  const asked: (string | undefined)[] = [];
  const client = {
    list: async (_: unknown, { resourceVersion }: ListOptions) => {
      asked.push(resourceVersion);
      return { resourceVersion: asResourceVersion('1'), items: [] };
    },
  } as unknown as KubeClient;
  return { asked, reader: apiReader(client) };
}

it('asks for the state of now where it is wanted', async () => {
  const { asked, reader } = listing();
  await reader.list(resources.Node);
  await reader.list(resources.Node, 'now');
  expect(asked).toEqual([undefined, '']);
});

it('asks for it always where what was read before was behind', async () => {
  const { asked, reader } = listing();
  await mostRecent(reader).list(resources.Node);
  expect(asked).toEqual(['']);
});
