/** DaemonJob: one Job on every node. The schema is the single source. */
import Type from 'typebox';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { daemonJobDefaults, frozenDaemonJobFields } from './daemon-job-defaults.ts';
import { daemonJobStatusSchema, type DaemonJobStatus } from './daemon-job-status.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { field, type CelRule } from './field.ts';
import { frozenOnceStarted } from './frozen-rule.ts';
import { commonParams } from './global-params.ts';
import type { KindDefinition } from './kind-definition.ts';
import { daemonPodSetInfosSchema } from './pod-set-info.ts';
import { handedOnToJob, podTemplateSchema } from './preserved.ts';
import { flowStates } from './job-flow-status.ts';
import { dnsLabelPattern } from './step.ts';
import { stateOfCourse } from './published-states.ts';
import { ageColumn, wideColumns } from './printer-columns.ts';

export { daemonJobDefaults } from './daemon-job-defaults.ts';
export { type DaemonJobStatus, type NodeEntry, type NodeEntryState } from './daemon-job-status.ts';

/** Bytes for 5,000 node names of the usual length. */
const longestExcludeList = 262_144;

const seconds = (says: string, example: string, minimum: number) =>
  Type.Integer(
    field({ says, unit: 'seconds', example }, { minimum, maximum: 2147483647, format: 'int32' }),
  );

const choice = <Words extends readonly [string, string, ...string[]]>(
  words: readonly [...Words],
  says: string,
  initial: Words[number],
) => Type.Enum([...words], field({ says, example: words[1] }, { default: initial }));

const flag = (says: string, initial: boolean) =>
  Type.Boolean(field({ says, example: 'true' }, { default: initial }));

const endlessRule: CelRule = {
  rule: "!has(self.completionPolicy) || self.completionPolicy != 'Never' || !(has(self.ttlSecondsAfterFinished) || has(self.activeDeadlineSeconds))",
  message:
    'a DaemonJob with completionPolicy Never does not end, so neither ttlSecondsAfterFinished nor activeDeadlineSeconds may be set',
};

const daemonJobSpecSchema = Type.Object(
  {
    globalParams: Type.Optional(
      Type.Object(
        commonParams('template'),
        field({ says: 'Parameters that every Job and Pod of the DaemonJob gets.' }),
      ),
    ),
    excludeNodeList: Type.Optional(
      Type.String(
        field(
          {
            says: 'Names of nodes on which nothing runs, separated by commas; blanks around a name do not matter. A name that is added later stops the Job there, unless it has ended. May be changed at any time.',
            example: 'node1, node2',
          },
          { maxLength: longestExcludeList },
        ),
      ),
    ),
    template: podTemplateSchema(
      'The Pod that runs on every node, as core/v1 PodTemplateSpec. Its nodeSelector, required node affinity and tolerations say which nodes can run it; terms, requirements and tolerations are at most 64 together. A field that the API server does not know is refused at admission.',
    ),
    backoffLimit: Type.Optional(
      Type.Integer(
        field(
          {
            says: 'How many failed Pods the Job of a node replaces before the node has failed.',
            absentMeans: 0,
            example: '2',
          },
          { minimum: 0, maximum: 2147483647, format: 'int32' },
        ),
      ),
    ),
    podFailurePolicy: Type.Optional(
      handedOnToJob(
        'How failed Pods are judged, as batch/v1 PodFailurePolicy of every Job. Without it a Pod that is evicted, drained or preempted does not count as failed and is replaced, unless podReplacementPolicy is TerminatingOrFailed.',
        '{rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}',
      ),
    ),
    podReplacementPolicy: Type.Optional(
      Type.Enum(
        ['TerminatingOrFailed', 'Failed'],
        field({
          says: 'When a Job replaces a Pod, as in batch/v1 JobSpec.',
          example: 'Failed',
        }),
      ),
    ),
    parallelism: Type.Optional(
      Type.Unsafe<number | string>(
        field(
          {
            says: 'On how many nodes Jobs may run at once: a number, or a share of the nodes in percent, rounded up. Nodes are taken by name. A Pod that still terminates counts. Absent: on all nodes at once. May be changed at any time.',
            example: '10%',
          },
          {
            'x-kubernetes-int-or-string': true,
            minimum: 1,
            maximum: 2147483647,
            pattern: '^([1-9][0-9]?|100)%$',
          },
        ),
      ),
    ),
    failurePolicy: Type.Optional(
      choice(
        ['Continue', 'FailFast', 'Pause'],
        'What happens when a node has failed. Continue: the others run, and the DaemonJob has failed at the end. FailFast: running Jobs are deleted and nothing new starts. Pause: running Jobs finish and nothing new starts until the failed nodes are retried or the policy is changed. May be changed at any time.',
        daemonJobDefaults.failurePolicy,
      ),
    ),
    completionPolicy: Type.Optional(
      choice(
        ['Always', 'Never'],
        'Always: the DaemonJob ends when every node has ended. Never: it continues, and each new node gets its Job.',
        daemonJobDefaults.completionPolicy,
      ),
    ),
    eligibility: Type.Optional(
      choice(
        ['Fitting', 'All'],
        'Fitting: nodes that can run the Pod; a node that is cordoned, not ready, or has a taint that the Pod does not tolerate is skipped. All: such nodes as well; the Pod tolerates every taint. Nodes that the template does not select are never taken.',
        daemonJobDefaults.eligibility,
      ),
    ),
    allowEmpty: Type.Optional(
      flag(
        'Whether the DaemonJob succeeds at once when no node can run it. Otherwise it waits for one.',
        daemonJobDefaults.allowEmpty,
      ),
    ),
    suspend: Type.Optional(
      flag(
        'While true nothing starts and running Jobs are suspended, which ends their Pods. May be changed at any time.',
        daemonJobDefaults.suspend,
      ),
    ),
    paused: Type.Optional(
      flag(
        'While true nothing starts and running Jobs finish. May be changed at any time.',
        daemonJobDefaults.paused,
      ),
    ),
    shutdown: Type.Optional(
      Type.Enum(
        ['Stop', 'Terminate'],
        field({
          says: 'Ends the DaemonJob early and keeps its record, also with completionPolicy Never. Stop: no new node is started, running Jobs finish, suspended Jobs are deleted. Terminate: running Jobs are deleted as well. The DaemonJob ends as Failed with reason Shutdown if a node was not started or its Job was deleted. May be set at any time, also at its creation, and changed from Stop to Terminate; it has no effect after the end. Removing it after the end starts nothing by itself, except that a DaemonJob with completionPolicy Never continues. To run the rest, remove it and set millrace.dev/retry.',
          example: 'Stop',
        }),
      ),
    ),
    podSetInfos: Type.Optional(daemonPodSetInfosSchema),
    activeDeadlineSeconds: Type.Optional(
      seconds(
        'How long the DaemonJob may take, counted from its start, its last resumption or the retry that reverted its failure. Then running Jobs are deleted and it has failed. May be changed at any time.',
        '3600',
        1,
      ),
    ),
    ttlSecondsAfterFinished: Type.Optional(
      seconds(
        'How long the DaemonJob is kept after its end. Then it is deleted with its Jobs. Absent: kept for ever. May be changed at any time.',
        '86400',
        0,
      ),
    ),
  },
  field({ says: 'The work to run on every node.' }, { 'x-millrace-rules': [endlessRule] }),
);

export type DaemonJobSpec = DeepReadonly<Type.Static<typeof daemonJobSpecSchema>>;

export interface DaemonJob {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: DaemonJobSpec;
  readonly status?: DaemonJobStatus;
}

export const daemonJobKind: KindDefinition = {
  resource: resources.DaemonJob,
  shortNames: ['mdj'],
  says: 'A DaemonJob runs a Pod to its end on every node: each node that can run it gets one batch/v1 Job.',
  name: { maxLength: 63, pattern: dnsLabelPattern },
  spec: daemonJobSpecSchema,
  status: daemonJobStatusSchema,
  published: {
    states: flowStates,
    of: ({ status }) =>
      stateOfCourse(status as DaemonJobStatus | undefined, [
        ...(['reason', 'message', 'desired', 'succeeded', 'failed'] as const),
        ...(['startTime', 'completionTime'] as const),
      ]),
  },
  rules: [frozenOnceStarted('DaemonJob', frozenDaemonJobFields)],
  selectableFields: ['.status.state'],
  columns: [
    { name: 'Status', type: 'string', jsonPath: '.status.state', says: 'State of the DaemonJob' },
    ...wideColumns([
      ['Desired', 'integer', 'Nodes that are to run it'],
      ['Active', 'integer', 'Nodes on which it runs'],
      ['Succeeded', 'integer', 'Nodes on which it succeeded'],
      ['Failed', 'integer', 'Nodes on which it failed'],
      ['Skipped', 'integer', 'Nodes that cannot run it'],
      ['Reason', 'string', 'Why the DaemonJob is in this state'],
      ['Message', 'string', 'The same for people'],
    ]),
    ageColumn,
  ],
};
