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
  /** REASON has another reason; this one is in the entry of the step, and MESSAGE names both. */
  readonly isOfEntry?: true;
  /** Only where namespaces are not trusted, and while no webhook records who submits. */
  readonly trustsNobody?: true;
  /** What `up` lacks to play it; it is played on a real API server only. */
  readonly lackingInUp?: string;
  /** No stage can play it: what they lack, and the test that makes it happen instead. */
  readonly elsewhere?: { readonly lacking: string; readonly test: string };
  /** What ends it. */
  readonly ends: string;
}
