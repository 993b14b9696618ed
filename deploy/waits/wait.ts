/** One row of the table of waits. */
export interface Wait {
  /** Unique; the test's scenario has the same name. */
  readonly name: string;
  readonly of: 'JobFlow' | 'DaemonJob' | 'Job held by a policy' | 'SuspendPolicy';
  /**
   * REASON of `kubectl get -o wide`. For a Job, the reason in its note; for a policy, that of the condition.
   */
  readonly reason: string;
  /** A literal part of MESSAGE. */
  readonly message: string;
  /** `Type=Status`. Absent: the kind has no conditions of Millrace. */
  readonly condition?: string;
  /** Reason of the Event. */
  readonly event?: string;
  /** REASON differs; this reason is in the step's entry, and MESSAGE names both. */
  readonly isOfEntry?: true;
  /** It occurs only if namespaces are not trusted and no webhook records the submitter. */
  readonly trustsNoUser?: true;
  /** The part that `up` lacks for this scenario, which then runs only on a real API server. */
  readonly lackingInUp?: string;
  /** The part that all stages lack for this scenario, and the test that covers it instead. */
  readonly elsewhere?: { readonly lacking: string; readonly test: string };
  /** The end of the wait. */
  readonly ends: string;
}
