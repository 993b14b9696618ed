import type { Words } from '#shared/parents/parent.ts';

/** The words for a flow and its steps in reasons and Events. */
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
