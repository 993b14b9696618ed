import { expect, it } from 'vitest';
import { flowCase } from '../testing/flow-case.ts';

it('begins the second run of an item when the first has ended, and sees what that wrote (pass-7)', async () => {
  const begun: (() => void)[] = [];
  const { cluster, process, item } = flowCase(({ reader }) => ({
    reader: {
      ...reader,
      get: async (...asked) => {
        await new Promise<void>((resolve) => begun.push(resolve));
        return reader.get(...asked);
      },
    },
  }));
  const ended: string[] = [];
  const run = async (name: string) => {
    await process(item);
    ended.push(`${name} with ${cluster.objects('Job').length} Jobs`);
  };
  const both = [run('first'), run('second')];
  await new Promise(setImmediate);
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await both[0];
  await new Promise(setImmediate);
  expect(ended).toEqual(['first with 1 Jobs']);
  expect(begun).toHaveLength(2);
  begun[1]?.();
  await both[1];
  expect(ended).toEqual(['first with 1 Jobs', 'second with 1 Jobs']);
});
