import { expect, test } from 'vitest';
import { drawTree } from './draw-tree.ts';
import { fiveJobs, flowPicture, stepPicture } from './testing/pictures.ts';

const plain = { colour: false, utf8: true, live: true };
const wide = { columns: 120, rows: 40, events: true };

test('a step hangs below the dependency that is deepest, with what started it', () => {
  expect(drawTree(fiveJobs(), 1_000, plain, wide)).toEqual([
    '● flow  Running  2 of 5  1.0s',
    '├─ ✔ job1        Succeed      0.3s  ← the flow was applied  event flow@10',
    '│  └─ ● job2     Running      0.6s  ← job1 completed  event job1@20',
    '│     ├─ ○ job3  Waiting            waits for job1, job2',
    '│     └─ ○ job5  Waiting            waits for job4, job2',
    '└─ ✔ job4        Succeed      0.3s  ← the flow was applied  event flow@10',
  ]);
});

test('without UTF-8 every character is ASCII', () => {
  const lines = drawTree(fiveJobs(), 1_000, { ...plain, utf8: false }, wide).join('\n');
  expect(lines).toContain('`- + job4');
  expect(lines).toContain('<- job1 completed');
  expect(lines).toMatch(/^[\n -~]+$/);
});

test('no line is wider than the terminal', () => {
  const lines = drawTree(fiveJobs(), 1_000, plain, { columns: 30, rows: 40 });
  expect(Math.max(...lines.map((line) => line.length))).toBe(30);
  expect(lines[1]).toMatch(/…$/);
});

test('with colour the words are the same', () => {
  const coloured = drawTree(fiveJobs(), 1_000, { ...plain, colour: true }, wide);
  expect(coloured.join('')).toContain('\u001B[');
  const bare = coloured.map((line) => line.replace(/\u001B\[\d+m/g, '').trimEnd());
  expect(bare).toEqual(drawTree(fiveJobs(), 1_000, plain, wide));
});

test('a flow with more steps than rows shows those under way and counts the rest', () => {
  const steps = Array.from({ length: 60 }, (_, index) =>
    stepPicture(`step-${index}`, index === 7 ? { state: 'Running', startedMs: 0 } : {}),
  );
  expect(drawTree(flowPicture(steps), 1_000, plain, { columns: 80, rows: 10 })).toEqual([
    '● flow  Running  0 of 60  1.0s',
    '└─ ● step-7  Running      1.0s',
    '  and 59 more steps: 59 Waiting',
  ]);
});

test('a failed step says why, also once it is known what started it', () => {
  const failed = stepPicture('a', {
    state: 'Failed',
    startedMs: 0,
    endedMs: 500,
    reason: 'BackoffLimitExceeded',
    message: 'too often',
    cause: { of: 'flow', name: 'flow', resourceVersion: '1' },
  });
  const [, line] = drawTree(flowPicture([failed]), 1_000, plain, wide);
  expect(line).toBe('└─ ✖ a  Failed       0.5s  BackoffLimitExceeded: too often');
});

test('an event that does not fit on the line is left out as a whole', () => {
  const [, line] = drawTree(fiveJobs(), 1_000, plain, { ...wide, columns: 60 });
  expect(line).toBe('├─ ✔ job1        Succeed      0.3s  ← the flow was applied');
});

test('when all has ended and not all fits, what ended last is shown', () => {
  const steps = Array.from({ length: 9 }, (_, index) =>
    stepPicture(`step-${index}`, { state: 'Succeed', startedMs: 0, endedMs: 100 * (index + 1) }),
  );
  const lines = drawTree(flowPicture(steps), 1_000, plain, { columns: 80, rows: 5 });
  expect(lines.slice(1).map((line) => line.trim().split(/\s+/)[2])).toEqual([
    'step-6',
    'step-7',
    'step-8',
    'more',
  ]);
});

test('a decision that another event asked for is marked as such', () => {
  const late = stepPicture('late', {
    state: 'Running',
    startedMs: 0,
    dependencies: ['early'],
    cause: { of: 'step', name: 'other', resourceVersion: '56' },
  });
  const [, line] = drawTree(flowPicture([late]), 1_000, plain, wide);
  expect(line).toContain('← early completed  seen with event other@56');
});

test('events are named where that is asked for', () => {
  const [, line] = drawTree(fiveJobs(), 1_000, plain, { columns: 120, rows: 40 });
  expect(line).toBe('├─ ✔ job1        Succeed      0.3s  ← the flow was applied');
});

test('a command that does not fit on the line stands uncut below it', () => {
  const failure = {
    state: 'Failed',
    startedMs: 0,
    endedMs: 500,
    reason: 'Why',
    message: 'exited 3; kubectl -n default logs job/f-a',
  } as const;
  const flow = flowPicture([stepPicture('a', failure), stepPicture('b')]);
  const frame = { rows: 40, wholeCommands: true };
  expect(drawTree(flow, 1_000, plain, { ...frame, columns: 120 })[1]).toBe(
    '├─ ✖ a  Failed       0.5s  Why: exited 3; kubectl -n default logs job/f-a',
  );
  expect(drawTree(flow, 1_000, plain, { ...frame, columns: 42 }).slice(1)).toEqual([
    '├─ ✖ a  Failed       0.5s  Why: exited 3',
    '│    kubectl -n default logs job/f-a',
    '└─ ○ b  Waiting',
  ]);
});
