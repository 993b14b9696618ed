/**
 * Every reason for which something of Millrace stands still, with what a user sees of it. `deploy/docs/waits.md` is made
 * of this list, and test/functions/waits.test.ts makes each of them happen and compares: a new reason is a new entry
 * here and a scenario there.
 */
export interface Wait {
  /** Unique; the scenario of the test has the same. */
  readonly name: string;
  readonly of: 'JobFlow' | 'DaemonJob' | 'Job held by a policy' | 'SuspendPolicy';
  /** REASON of `kubectl get -o wide`; of a Job the reason in its note. */
  readonly reason: string;
  /** A part of MESSAGE, as it is written. */
  readonly message: string;
  /** `Type=Status`. Absent: the kind has no conditions of ours. */
  readonly condition?: string;
  /** Reason of the Event. */
  readonly event?: string;
  /** What ends it. */
  readonly ends: string;
}

export const waits: readonly Wait[] = [
  {
    name: 'a JobTemplate of a first step is missing',
    of: 'JobFlow',
    reason: 'JobTemplateNotFound',
    message: 'there is no JobTemplate "absent"',
    condition: 'TemplatesResolved=False',
    event: 'JobTemplateNotFound',
    ends: 'Create the JobTemplate; the flow starts by itself.',
  },
  {
    name: 'a JobTemplate of a later step is missing',
    of: 'JobFlow',
    reason: 'TemplatesPending',
    message: 'nothing starts before the JobTemplates of all steps exist: absent',
    condition: 'TemplatesResolved=False',
    event: 'JobTemplateNotFound',
    ends: 'Create the JobTemplate, or set `templatePolicy: ResolveAtStep`.',
  },
  {
    name: 'a step waits for a person',
    of: 'JobFlow',
    reason: 'ManualGate',
    message: 'the Job is suspended, and not by this flow',
    condition: 'Progressing=True',
    event: 'ManualGate',
    ends: 'Set `spec.suspend` of the Job to false.',
  },
  {
    name: 'a failed attempt waits for its retry',
    of: 'JobFlow',
    reason: 'RetryBackoff',
    message: 'retry 1 of 1 follows',
    condition: 'Progressing=True',
    event: 'StepRetrying',
    ends: 'The time in MESSAGE.',
  },
  {
    name: 'as many steps run as may',
    of: 'JobFlow',
    reason: 'ParallelismReached',
    message: 'steps that could start wait for a place',
    condition: 'Progressing=True',
    ends: 'A step ends, or `spec.parallelism` is raised.',
  },
  {
    name: 'a flow that is shut down waits for what runs',
    of: 'JobFlow',
    reason: 'ShuttingDown',
    message: 'spec.shutdown is Stop: nothing new starts, and what runs still ends',
    condition: 'Progressing=True',
    event: 'ShuttingDown',
    ends: 'Its running Jobs end, or `spec.shutdown` becomes Terminate, which deletes them.',
  },
  {
    name: 'no node takes the Pod of a step',
    of: 'JobFlow',
    reason: 'Unschedulable',
    message: 'nodes are available',
    condition: 'Progressing=True',
    event: 'Unschedulable',
    ends: 'A node gets room, or the template is corrected.',
  },
  {
    name: 'the flow is suspended',
    of: 'JobFlow',
    reason: 'FlowSuspended',
    message: 'spec.suspend is true',
    condition: 'Suspended=True',
    event: 'Suspended',
    ends: 'Set `spec.suspend` to false.',
  },
  {
    name: 'a policy holds the flow',
    of: 'JobFlow',
    reason: 'HeldByPolicy',
    message: 'held by SuspendPolicy/default/shut (WindowClosed) until ',
    condition: 'Suspended=True',
    event: 'HeldByPolicy',
    ends: 'The opening in MESSAGE, or `millrace.dev/suspend-override: Run` on the flow.',
  },
  {
    name: 'a policy holds the DaemonJob',
    of: 'DaemonJob',
    reason: 'HeldByPolicy',
    message: 'held by SuspendPolicy/default/shut (WindowClosed) until ',
    condition: 'Suspended=True',
    event: 'HeldByPolicy',
    ends: 'The opening in MESSAGE, or `millrace.dev/suspend-override: Run` on it.',
  },
  {
    name: 'the DaemonJob is suspended',
    of: 'DaemonJob',
    reason: 'Suspended',
    message: 'spec.suspend is true',
    condition: 'Suspended=True',
    event: 'Suspended',
    ends: 'Set `spec.suspend` to false.',
  },
  {
    name: 'no node can run the DaemonJob',
    of: 'DaemonJob',
    reason: 'NoEligibleNodes',
    message: 'nodes can run it',
    condition: 'NodesEligible=False',
    event: 'NoEligibleNodes',
    ends: 'A node that its template selects comes.',
  },
  {
    name: 'a policy holds a Job',
    of: 'Job held by a policy',
    reason: 'WindowClosed',
    message: 'SuspendPolicy/default/shut',
    event: 'HeldByPolicy',
    ends: 'The opening in its annotation `millrace.dev/held`, or `millrace.dev/suspend-override: Run` on it.',
  },
];
