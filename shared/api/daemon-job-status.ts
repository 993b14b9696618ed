/**
 * The status of a DaemonJob: counts, nodes with something to report, and the ledger of what ran on
 * which machine.
 */
import Type from 'typebox';
import type { DeepReadonly } from './deep-readonly.ts';
import { field } from './field.ts';
import { flowStates } from './job-flow-status.ts';
import { conditionSchema, count, generation, text, time } from './status-fields.ts';

/** Most nodes with an entry of their own. */
export const maxNodeEntries = 100;

const nodeEntryStates = [
  'Failed',
  'Cancelled',
  'Blocked',
  'Running',
  'Unknown',
  'Suspended',
  'Skipped',
] as const;

const nodeEntrySchema = Type.Object(
  {
    name: text('Name of the node.', 'vm-0-12-centos', 253),
    state: Type.Enum(
      [...nodeEntryStates],
      field({
        says: 'Failed; Cancelled: its Job was deleted because of the failure policy, the deadline or spec.shutdown; Blocked: its Job cannot be created; Running: something keeps its Job from continuing (see reason); Unknown: its Job has not ended, and the node does not report; Suspended: its Job was suspended, and not by the DaemonJob; Skipped: it cannot run the Pod.',
        example: 'Skipped',
      }),
    ),
    jobName: Type.Optional(text('Name of its Job.', 'daemonjob-example-vm-0-12-centos', 63)),
    reason: Type.Optional(text('Why, as one CamelCase word.', 'Cordoned')),
    message: Type.Optional(text('Why, for people.', 'the node is cordoned')),
    completionTime: Type.Optional(time('When its Job ended.')),
  },
  field({ says: 'The report about one node.' }),
);

const conditionTypes =
  'Accepted, NodesEligible, UnknownExcludedNode, Progressing, Blocked, NodeFailed, Suspended, Complete, Failed, RetryRefused and UnknownAnnotation';

export const daemonJobStatusSchema = Type.Object(
  {
    state: Type.Optional(
      Type.Enum(
        [...flowStates],
        field({ says: 'Summary for people; programs read conditions.', example: 'Running' }),
      ),
    ),
    observedGeneration: Type.Optional(
      generation('Generation of the DaemonJob that the status describes.'),
    ),
    startTime: Type.Optional(
      time(
        'When the DaemonJob started. From then on what runs is frozen: globalParams, template, backoffLimit, podFailurePolicy, podReplacementPolicy, eligibility and completionPolicy.',
      ),
    ),
    completionTime: Type.Optional(time('When the DaemonJob ended, in success or in failure.')),
    lastUpdateTime: Type.Optional(
      Type.String(
        field(
          {
            says: 'When this status was written. While only the nodes progress it is at most a second behind them, or five under load (with more than 500 nodes, 2 ms for each).',
            example: '2026-11-21T10:00:05.123000Z',
          },
          { format: 'date-time' },
        ),
      ),
    ),
    conditions: Type.Optional(
      Type.Array(
        conditionSchema('DaemonJob', `One of ${conditionTypes}.`, {
          reason: 'AllNodesSucceeded',
          message: 'all 5 nodes succeeded',
        }),
        field(
          {
            says: `${conditionTypes}.`,
            example: 'kubectl wait --for=condition=Complete daemonjob.api.practice.com/NAME',
          },
          { maxItems: 32 },
        ),
      ),
    ),
    desired: Type.Optional(count('Nodes on which it should run or has run.', '5')),
    active: Type.Optional(count('Nodes whose Job exists and has not ended.', '2')),
    succeeded: Type.Optional(count('Nodes on which it succeeded.', '3')),
    failed: Type.Optional(count('Nodes on which it failed or was cancelled.', '0')),
    skipped: Type.Optional(
      count('Nodes that are not excluded and cannot run it. They do not count in desired.', '1'),
    ),
    waiting: Type.Optional(count('Nodes whose Job has not been created yet.', '1')),
    nodes: Type.Optional(
      Type.Array(
        nodeEntrySchema,
        field(
          {
            says: `Nodes with something to report, failed ones first and then by name, at most ${maxNodeEntries}. All Jobs: kubectl get jobs -l millrace.dev/daemonjob=NAME; those that have not succeeded: with --field-selector status.successful=0 as well.`,
          },
          { maxItems: maxNodeEntries },
        ),
      ),
    ),
    ledger: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String(field({ says: 'Eight characters for each node, from its UID, sorted.' })),
        field(
          {
            says: 'The machines on which it ran, even if their Jobs are gone: Started, Succeeded, Failed, Cancelled, Retired (deleted because the node was excluded) or Retrying, with the number of the attempt after the first, and the nodes in that state.',
            example: '{"Succeeded": "2NVQmQhO8sFxTbZL", "Failed/1": "QZ0XyKmd"}',
          },
          {},
        ),
      ),
    ),
    reason: Type.Optional(
      text('Why the DaemonJob is in this state, as one CamelCase word.', 'NoEligibleNodes'),
    ),
    message: Type.Optional(
      text('Why the DaemonJob is in this state, for people.', 'no node can run it', 32768),
    ),
    retryNonce: Type.Optional(
      text('Value of the millrace.dev/retry annotation that was handled last.', '1'),
    ),
    specHash: Type.Optional(
      text('Hash of the frozen part of the spec, at the start.', '5c1c8a0d', 128),
    ),
  },
  field({ says: 'What happened so far. Written by Millrace only.' }),
);

export type NodeEntryState = (typeof nodeEntryStates)[number];
export type DaemonJobStatus = DeepReadonly<Type.Static<typeof daemonJobStatusSchema>>;
/** The report on one node: an entry of `status.nodes`. */
export type NodeEntry = DeepReadonly<Type.Static<typeof nodeEntrySchema>>;
