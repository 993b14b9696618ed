import { expect, test } from 'vitest';
import { renderLine } from '../terminal/line.ts';
import type { FlowPicture, StepPicture } from './flow-picture.ts';
import { narrate } from './narrate.ts';
import { fiveJobs, flowPicture, stepPicture } from './testing/pictures.ts';

const applied = { of: 'flow', name: 'flow', resourceVersion: '10' } as const;

function lines(before: FlowPicture | undefined, after: FlowPicture): readonly string[] {
  const lines = narrate(before, after, 1_000, { utf8: true, events: true });
  return lines.map((pieces) => renderLine(pieces, { colour: false, utf8: true }));
}

function stepLines(before: Partial<StepPicture>, after: Partial<StepPicture>): readonly string[] {
  return lines(flowPicture([stepPicture('a', before)]), flowPicture([stepPicture('a', after)]));
}

test('says nothing when nothing changed', () => {
  expect(lines(fiveJobs(), fiveJobs())).toEqual([]);
});

test('a step that waits from the beginning is not worth a line', () => {
  expect(lines(undefined, flowPicture([stepPicture('a')]))).toEqual([
    '   1.0s  ● flow  Running   0 of 1',
  ]);
});

test('a flow that waits says why, and again when the reason changes', () => {
  const waits = (reason: string) =>
    flowPicture([stepPicture('a')], { state: 'Suspended', reason, message: 'because' });
  const line = (reason: string) => `   1.0s  ‖ flow  Suspended 0 of 1  ${reason}: because`;
  expect(lines(undefined, waits('Queued'))).toEqual([line('Queued')]);
  expect(lines(waits('Queued'), waits('Queued'))).toEqual([]);
  expect(lines(waits('Queued'), waits('HeldByPolicy'))).toEqual([line('HeldByPolicy')]);
});

test('a start is shown once, when its cause is known', () => {
  const pending = { state: 'Pending', startedMs: 900 } as const;
  const caused = { ...pending, cause: applied };
  expect(stepLines({}, pending)).toEqual([]);
  expect(stepLines(pending, caused)).toEqual([
    '   0.9s  ◌ a     Pending   ← the flow was applied  event flow@10',
  ]);
  expect(stepLines(caused, { ...caused, state: 'Running' })).toEqual(['   1.0s  ● a     Running']);
});

test('an end is shown with its duration and, after a failure, its reason', () => {
  const running = { state: 'Running', startedMs: 100, cause: applied } as const;
  const failed = { ...running, state: 'Failed', endedMs: 600, reason: 'Why' } as const;
  expect(stepLines(running, failed)).toEqual(['   1.0s  ✖ a     Failed       0.5s  Why']);
});

test('what is seen for the first time has the time of its state', () => {
  const steps = [
    stepPicture('b', { state: 'Succeed', startedMs: 200, endedMs: 700, cause: applied }),
    stepPicture('a', { state: 'Succeed', startedMs: 0, endedMs: 200, cause: applied }),
  ];
  const ended = { state: 'Succeed', isEnded: true, endedMs: 800 };
  expect(lines(undefined, flowPicture(steps, ended))).toEqual([
    '   0.2s  ✔ a     Succeed      0.2s',
    '   0.7s  ✔ b     Succeed      0.5s',
    '   0.8s  ✔ flow  Succeed   2 of 2',
  ]);
});

test('the end of the flow is the last line', () => {
  const after = flowPicture([stepPicture('a', { state: 'Succeed', startedMs: 0, endedMs: 900 })], {
    state: 'Succeed',
    isEnded: true,
  });
  expect(lines(flowPicture([stepPicture('a')]), after)).toEqual([
    '   1.0s  ✔ a     Succeed      0.9s',
    '   1.0s  ✔ flow  Succeed   1 of 1',
  ]);
});
