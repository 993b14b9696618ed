import type { FlowPicture, StepPicture } from '../flow-picture.ts';

/** A step without dependencies that has not started. The test states what matters. */
export function stepPicture(name: string, given: Partial<StepPicture> = {}): StepPicture {
  return {
    name,
    state: 'Waiting',
    dependencies: [],
    startedMs: undefined,
    endedMs: undefined,
    cause: undefined,
    attempt: 0,
    reason: undefined,
    message: undefined,
    jobName: undefined,
    ...given,
  };
}

/** A running flow that started at 0. */
export function flowPicture(
  steps: readonly StepPicture[],
  given: Partial<FlowPicture> = {},
): FlowPicture {
  return {
    name: 'flow',
    state: 'Running',
    isEnded: false,
    hasFailed: false,
    startedMs: 0,
    endedMs: undefined,
    steps,
    reason: undefined,
    message: undefined,
    ...given,
  };
}

/** The five jobs of the example: job1 and job4 done, job2 running. */
export function fiveJobs(): FlowPicture {
  const applied = { of: 'flow', name: 'flow', resourceVersion: '10' } as const;
  const ended = { state: 'Succeed', startedMs: 100, endedMs: 400, cause: applied } as const;
  return flowPicture([
    stepPicture('job1', ended),
    stepPicture('job2', {
      state: 'Running',
      dependencies: ['job1'],
      startedMs: 400,
      cause: { of: 'step', name: 'job1', resourceVersion: '20' },
    }),
    stepPicture('job3', { dependencies: ['job1', 'job2'] }),
    stepPicture('job4', ended),
    stepPicture('job5', { dependencies: ['job4', 'job2'] }),
  ]);
}
