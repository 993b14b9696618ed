import { expect, it } from 'vitest';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { sharedLists } from './shared-lists.ts';

const { Job, Node } = resources;

/** Lists that the test ends by hand. Each holds an object that is named after the list's number. */
function listsByHand() {
  const pending: { readonly kind: string; readonly end: (error?: Error) => Promise<void> }[] = [];
  const list = sharedLists(({ kind }, asOf) => {
    const name = String(pending.length);
    return new Promise((resolve, reject) => {
      const end = (error?: Error): Promise<void> => {
        if (error === undefined) resolve([{ metadata: { name } } as KubeObject]);
        else reject(error);
        return new Promise(setImmediate);
      };
      pending.push({ kind: asOf === undefined ? kind : `${kind} ${asOf}`, end });
    });
  });
  const listNamed = async (resource: Resource = Job, asOf?: 'now') =>
    (await list(resource, asOf)).map(({ metadata }) => metadata.name).join();
  return { pending, listNamed };
}

it('gives callers that ask while a list is under way the next one, all of them the same', async () => {
  const { pending, listNamed } = listsByHand();
  const first = listNamed();
  const others = [listNamed(), listNamed(), listNamed()];
  expect(pending).toHaveLength(1);
  await pending[0]!.end();
  expect(pending).toHaveLength(2);
  const late = listNamed();
  await pending[1]!.end();
  expect(await first).toBe('0');
  expect(await Promise.all(others)).toEqual(['1', '1', '1']);
  await pending[2]!.end();
  expect(await late).toBe('2');
  expect(pending).toHaveLength(3);
});

it('asks anew when nothing is under way', async () => {
  const { pending, listNamed } = listsByHand();
  const first = listNamed();
  await pending[0]!.end();
  expect(await first).toBe('0');
  const second = listNamed();
  await pending[1]!.end();
  expect(await second).toBe('1');
});

it('shares no list with another resource, nor one of now with one that may be older', async () => {
  const { pending, listNamed } = listsByHand();
  const all = [listNamed(), listNamed(Node), listNamed(Job, 'now')];
  expect(pending.map(({ kind }) => kind)).toEqual(['Job', 'Node', 'Job now']);
  for (const { end } of pending) await end();
  expect(await Promise.all(all)).toEqual(['0', '1', '2']);
});

it('starts the next list after one that fails, whose error is only theirs who shared it', async () => {
  const { pending, listNamed } = listsByHand();
  const first = listNamed();
  const second = listNamed();
  const failed = expect(first).rejects.toThrow('gone');
  await pending[0]!.end(new Error('gone'));
  await failed;
  await pending[1]!.end();
  expect(await second).toBe('1');
});
