import { describe, expect, it } from 'vitest';
import { eachBounded } from './bounded.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('bounded work', () => {
  it('keeps the order of the items in its results and never exceeds the limit', async () => {
    let running = 0;
    let most = 0;
    const items = Array.from({ length: 20 }, (_, index) => index);
    const { results, errors } = await eachBounded(items, 3, async (item) => {
      most = Math.max(most, (running += 1));
      for (let turns = 0; turns < 5 - (item % 5); turns += 1) await turn();
      running -= 1;
      return item * 2;
    });
    expect(errors).toEqual([]);
    expect(results).toEqual(items.map((item) => item * 2));
    expect(most).toBe(3);
  });

  it('starts nothing after a fault and has nothing under way when it returns', async () => {
    const started: number[] = [];
    const finished: number[] = [];
    const work = async (item: number): Promise<void> => {
      started.push(item);
      if (item === 1) throw new Error('second item');
      for (let turns = 0; turns < 10; turns += 1) await turn();
      finished.push(item);
    };
    const { errors } = await eachBounded([0, 1, 2, 3, 4], 2, work);
    expect(errors).toEqual([new Error('second item')]);
    expect(started).toEqual([0, 1]);
    expect(finished).toEqual([0]);
  });
});
