import type { Words } from '#shared/parents/parent.ts';

/** The words for a DaemonJob and its nodes in reasons and Events. */
export const daemonJobWords: Words = {
  whole: 'the DaemonJob',
  part: 'node',
  stopping: 'running Jobs',
  restarted: 'the DaemonJob continues',
  states: {
    Pending: 'no node has been started',
    Running: 'nodes are being worked on',
    Succeed: 'every node succeeded',
    Failed: 'the DaemonJob has failed',
    Suspended: 'nothing new starts',
    Terminating: 'the DaemonJob is being deleted',
  },
  partFailed: 'NodeFailed',
  noneFailed: 'NoNodeFailed',
  complete: 'AllNodesSucceeded',
};
