/**
 * DaemonJobs over many nodes. Their Pods run through the Job controller, the scheduler and kwok.
 */

export interface DaemonWorkload {
  readonly name: string;
  readonly says: string;
  readonly nodes: number;
  /** Running time of each Pod, a Go duration. */
  readonly runFor: string;
  /** Time limit of the wait. */
  readonly atMostSeconds: number;
}

export const daemonWorkloads: readonly DaemonWorkload[] = [
  {
    name: 'daemon-100',
    says: 'a DaemonJob over 100 nodes, each Pod 1 s',
    nodes: 100,
    runFor: '1s',
    atMostSeconds: 120,
  },
  {
    name: 'daemon-1000',
    says: 'a DaemonJob over 1,000 nodes, each Pod 1 s',
    nodes: 1_000,
    runFor: '1s',
    atMostSeconds: 300,
  },
];
