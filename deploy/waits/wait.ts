/** One row of the table of waits. */
export interface Wait {
  /** Unique; the scenario of the test has the same. */
  readonly name: string;
  readonly of: 'JobFlow' | 'DaemonJob' | 'Job held by a policy' | 'SuspendPolicy';
  /** REASON of `kubectl get -o wide`; of a Job the reason in its note, of a policy that of the condition. */
  readonly reason: string;
  /** A part of MESSAGE, as it is written. */
  readonly message: string;
  /** `Type=Status`. Absent: the kind has no conditions of ours. */
  readonly condition?: string;
  /** Reason of the Event. */
  readonly event?: string;
  /** Only the entry of the step or node tells it, in `jobStatusList` or `nodes`: it usually passes by itself. */
  readonly isOfEntry?: true;
  /** It takes what `up` does not have: the test that makes it happen instead. */
  readonly playedIn?: string;
  /** What ends it. */
  readonly ends: string;
}
