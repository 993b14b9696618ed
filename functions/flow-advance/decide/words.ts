import type { Words } from '#shared/parents/parent.ts';

/** How a flow speaks of itself and of its steps. */
export const flowWords: Words = {
  whole: 'the flow',
  part: 'step',
  stopping: 'running steps',
  restarted: 'failed steps were started again',
  states: {
    Pending: 'no step has been started',
    Running: 'steps are being run',
    Succeed: 'every step succeeded',
    Failed: 'the flow has failed',
    Suspended: 'nothing new starts',
    Terminating: 'the flow is being deleted',
  },
  partFailed: 'StepFailed',
  noneFailed: 'NoStepFailed',
  complete: 'AllStepsSucceeded',
};
