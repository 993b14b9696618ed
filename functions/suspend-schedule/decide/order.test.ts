import { expect, it } from 'vitest';
import { at, policy, snapshot, submitted } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

it.each([
  [1, 'old'],
  [3, 'young'],
])(
  'waiting raises a priority by one each time: by two against %d, %s starts',
  (priority, first) => {
    const fairness = { agingSeconds: 100 };
    const objects = [
      submitted('old', { priority: 0, createdAt: at(-250) }),
      submitted('young', { priority, createdAt: at(-10) }),
    ];
    const { resumes } = decided(
      snapshot(policy({ capacity: { maxJobs: 1 }, adopt: 'Both', fairness }), objects),
    );
    expect(resumes).toEqual([first]);
  },
);
