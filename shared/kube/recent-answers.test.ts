import { describe, expect, it } from 'vitest';
import { RecentAnswers } from './recent-answers.ts';

function answering(most = 10) {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const answers = new RecentAnswers<string>({
    ...{ clock, most },
    keepMs: (answer) => (answer === 'no' ? 0 : 10_000),
  });
  const asked: { question: string; signal: AbortSignal; answer: (text: string) => void }[] = [];
  const failed: ((error: Error) => void)[] = [];
  const ask = (question: string, signal?: AbortSignal): Promise<string> =>
    answers.to(
      question,
      (shared) =>
        new Promise<string>((answer, fail) => {
          asked.push({ question, signal: shared, answer });
          failed.push(fail);
        }),
      signal,
    );
  return { clock, ask, asked, failed };
}

describe('answers of a moment ago', () => {
  it('are given to all who ask the same while it is being asked', async () => {
    const { ask, asked } = answering();
    const both = Promise.all([ask('a'), ask('a')]);
    asked[0]?.answer('yes');
    expect(await both).toEqual(['yes', 'yes']);
    expect(asked).toHaveLength(1);
  });

  it('are given again until their time is over, counted from the question on', async () => {
    const { clock, ask, asked } = answering();
    const first = ask('a');
    asked[0]?.answer('yes');
    await first;
    clock.nowMs = 9_999;
    expect(await ask('a')).toBe('yes');
    clock.nowMs = 10_000;
    const second = ask('a');
    asked[1]?.answer('yes, still');
    expect(await second).toBe('yes, still');
  });

  it('are asked for anew where they are not to be kept, or were none', async () => {
    const { ask, asked, failed } = answering();
    const first = ask('a');
    asked[0]?.answer('no');
    expect(await first).toBe('no');
    const second = ask('a');
    failed[1]?.(new Error('away'));
    await expect(second).rejects.toThrow('away');
    const third = ask('a');
    asked[2]?.answer('yes');
    expect(await third).toBe('yes');
  });

  it('are bounded in number: the oldest goes first', async () => {
    const { ask, asked } = answering(2);
    for (const question of ['a', 'b', 'c']) {
      const answer = ask(question);
      asked.at(-1)?.answer('yes');
      await answer;
    }
    await ask('b');
    expect(asked).toHaveLength(3);
    const again = ask('a');
    expect(asked.at(-1)?.question).toBe('a');
    asked.at(-1)?.answer('yes');
    await again;
  });

  it('go on for the others when one of them waits no longer, and stop with the last', async () => {
    const { ask, asked } = answering();
    const [one, two] = [new AbortController(), new AbortController()];
    const waits = [ask('a', one.signal), ask('a', two.signal)];
    one.abort(new Error('one is late'));
    await expect(waits[0]).rejects.toThrow('one is late');
    expect(asked[0]?.signal.aborted).toBe(false);
    two.abort(new Error('two is late'));
    await expect(waits[1]).rejects.toThrow('two is late');
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  it('are not those of a question that was stopped', async () => {
    const { ask, asked } = answering();
    const late = new AbortController();
    const first = ask('a', late.signal);
    late.abort(new Error('late'));
    await expect(first).rejects.toThrow('late');
    const second = ask('a');
    asked[1]?.answer('yes');
    expect(await second).toBe('yes');
  });

  it('are not asked for by a caller that has left', async () => {
    const { ask, asked } = answering();
    await expect(ask('a', AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
    expect(asked).toEqual([]);
  });
});
