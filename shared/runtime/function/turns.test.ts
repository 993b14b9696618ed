import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

function runsByHand() {
  const turns = new Turns();
  const log: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const take = (key: string, name: string) =>
    turns.take(key, () => {
      log.push(`${name} begins`);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    });
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error);
    await new Promise(setImmediate);
  };
  return { take, end, log };
}

it('begins a run when the one before it has ended, however many wait', async () => {
  const { take, end, log } = runsByHand();
  const all = ['a', 'b', 'c'].map((name) => take('one', name));
  expect(log).toEqual(['a begins']);
  await end('a');
  expect(log).toEqual(['a begins', 'b begins']);
  await end('b');
  await end('c');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
});

it('begins at once where only another key is under way, or nothing any more', async () => {
  const { take, end, log } = runsByHand();
  const first = take('one', 'a');
  const other = take('other', 'b');
  expect(log).toEqual(['a begins', 'b begins']);
  await end('a');
  const later = take('one', 'c');
  expect(log).toContain('c begins');
  await end('b');
  await end('c');
  expect(await Promise.all([first, other, later])).toEqual(['a', 'b', 'c']);
});

it('begins the next run after one that failed', async () => {
  const { take, end } = runsByHand();
  const failing = take('one', 'a');
  const next = take('one', 'b');
  const failed = expect(failing).rejects.toThrow('broken');
  await end('a', new Error('broken'));
  await failed;
  await end('b');
  expect(await next).toBe('b');
});
