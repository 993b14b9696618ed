import { describe, expect, it } from 'vitest';
import { AppendLine, type Stored } from './append-line.ts';

interface Call {
  readonly records: readonly string[];
  readonly answer: (stored: readonly Stored[]) => void;
  readonly fail: (error: Error) => void;
}

function lineOver(mostAtOnce = 100) {
  const calls: Call[] = [];
  const line = new AppendLine<string>({
    store: (records) =>
      new Promise((answer, fail) => {
        calls.push({ records, answer, fail });
      }),
    mostAtOnce,
  });
  return { line, calls, asked: () => calls.map(({ records }) => records) };
}

const at = (position: string): Stored => ({ position, oldest: '1', bytes: 2 });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('records that are appended while others are under way', () => {
  it('go together, in their order (append-1)', async () => {
    const { line, calls, asked } = lineOver();
    const first = line.append(['a']);
    const second = line.append(['b', 'c']);
    const third = line.append(['d']);
    expect(asked()).toEqual([['a']]);
    calls[0]!.answer([at('1')]);
    expect(await first).toEqual([at('1')]);
    await turn();
    expect(asked()).toEqual([['a'], ['b', 'c', 'd']]);
    calls[1]!.answer([at('2'), at('3'), at('4')]);
    expect(await second).toEqual([at('2'), at('3')]);
    expect(await third).toEqual([at('4')]);
  });

  it('are as many in one call as one takes', async () => {
    const { line, calls, asked } = lineOver(2);
    const all = line.append(['a', 'b', 'c']);
    calls[0]!.answer([at('1'), at('2')]);
    await turn();
    expect(asked()).toEqual([['a', 'b'], ['c']]);
    calls[1]!.answer([at('3')]);
    expect(await all).toEqual([at('1'), at('2'), at('3')]);
  });

  it('are stored although those before them were not (append-2)', async () => {
    const { line, calls } = lineOver();
    const first = line.append(['a']);
    const second = line.append(['b']);
    calls[0]!.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await turn();
    calls[1]!.answer([at('2')]);
    expect(await second).toEqual([at('2')]);
  });
});

it('stores what comes after a pause at once', async () => {
  const { line, calls, asked } = lineOver();
  const first = line.append(['a']);
  calls[0]!.answer([at('1')]);
  await first;
  await turn();
  void line.append(['b']);
  expect(asked()).toEqual([['a'], ['b']]);
});
