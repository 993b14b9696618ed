/** Where a decision about a DaemonJob differs from the rules. */
import type { DaemonJob, DaemonJobStatus } from '#shared/api/daemon-job.ts';
import type { Decision } from '#shared/domain/decision.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { differs } from '../../model/created-job.ts';
import { msOf } from '../../model/look.ts';
import {
  conditionDifferences,
  eventFaults,
  lacks,
  merged,
  ofJob,
  operationDifferences,
  orderFaults,
  prefixed,
  saysStill,
} from '../../model/plan-faults.ts';
import type { PredictedEvent } from '../../model/predicted-events.ts';
import { createdJobFaults } from './created-job.ts';
import { eventsOf } from './events.ts';
import { type Expected, expectedDecision } from './expected-decision.ts';
import { jobName } from './job-name.ts';
import type { Ledger } from './ledger.ts';
import type { DaemonLook } from './look.ts';
import type { NodeState } from './node-states.ts';
import { slowStart } from './starting.ts';
import {
  onRecord,
  type PredictedEntry,
  predictedFields,
  type PredictedStatus,
} from './predicted-status.ts';
import { mayWaitUntilMs } from './worth-reporting.ts';

export interface Verdict {
  readonly faults: readonly string[];
  /** The decision's Events, in the rules' terms. */
  readonly events: readonly PredictedEvent[];
}

export function decisionVerdict(look: DaemonLook, decision: Decision): Verdict {
  const expected = expectedDecision(look);
  const operations = decision.plan.flat();
  const write = operations.find((operation) => operation.kind === 'patchStatus');
  const predicted = statusFaults(look, expected, write?.status);
  const wanted = write === undefined ? [] : eventsOf(onRecord(look.daemonJob), expected.predicted);
  const emitted = operations.filter((operation) => operation.kind === 'emitEvent');
  return {
    faults: [
      ...prefixed('model, status', predicted.faults),
      ...prefixed('model, writes', writeFaults(look, expected, decision)),
      ...prefixed('model, order', orderFaults(decision)),
      ...prefixed('model, Events', eventFaults(wanted, emitted)),
      ...prefixed(
        'model, look again',
        againFaults(look, expected, predicted.waitsUntilMs, decision),
      ),
    ],
    events: wanted,
  };
}

/**
 * The record after the decision. Without a status write, only changes that may wait may be missing.
 */
function statusFaults(look: DaemonLook, expected: Expected, patch: JsonObject | undefined) {
  const { daemonJob, atMs } = look;
  const { predicted } = expected;
  const before = onRecord(daemonJob);
  const waitsUntilMs = expected.isUrgent ? undefined : mayWaitUntilMs(look, before, predicted);
  const mayWait = waitsUntilMs !== undefined && waitsUntilMs > atMs;
  if (patch === undefined) {
    const faults = differences(predicted, daemonJob.status ?? {});
    if (faults.length === 0) return { faults, waitsUntilMs: Infinity };
    return mayWait ? { faults: [], waitsUntilMs } : { faults, waitsUntilMs: Infinity };
  }
  const after: DaemonJobStatus = merged(daemonJob.status ?? {}, patch);
  const isDated = msOf(after.lastUpdateTime) === atMs;
  const isEmpty = Object.keys(patch).every((name) => name === 'lastUpdateTime');
  return {
    faults: [
      ...differences(predicted, after),
      ...(isDated ? [] : [`written at ${after.lastUpdateTime ?? 'no time'}`]),
      ...(isEmpty ? ['written although nothing is new'] : []),
      ...(mayWait ? ['written although it may wait'] : []),
    ],
    waitsUntilMs: Infinity,
  };
}

function differences(predicted: PredictedStatus, status: DaemonJobStatus): readonly string[] {
  const came = onRecord({ status });
  return [
    ...predictedFields.flatMap((field) => differs(field, predicted[field], came[field])),
    ...differs('nodes', predicted.nodes.map(entryWords), came.nodes.map(entryWords)),
    ...ledgerDifferences(predicted.ledger, came.ledger),
    ...conditionDifferences(predicted.conditions, came.conditions),
    ...lacks('message', status.message, predicted.mentions),
    ...predicted.nodes.flatMap(({ name, mentions }, index) =>
      lacks(`node ${name}`, status.nodes?.[index]?.message, mentions),
    ),
    ...(status.conditions ?? []).flatMap(({ type, message }) => [
      ...lacks(`condition ${type}`, message, predicted.conditions[type]?.mentions),
      ...saysStill(`condition ${type}`, message, predicted.conditions[type]?.omits),
    ]),
  ];
}

function entryWords({ name, state, jobName: job, reason, completionTime }: PredictedEntry): string {
  return [name, state, job, reason, completionTime].join(' ');
}

function ledgerDifferences(predicted: Ledger, came: Ledger): readonly string[] {
  const words = (ledger: Ledger, key: string): string | undefined => {
    const entry = ledger.get(key);
    return entry && `${entry.state} ${entry.attempt}`;
  };
  const keys = new Set([...predicted.keys(), ...came.keys()]);
  return [...keys].flatMap((key) =>
    differs(`ledger ${key}`, words(predicted, key), words(came, key)),
  );
}

function writeFaults(look: DaemonLook, expected: Expected, { plan }: Decision): readonly string[] {
  const { metadata } = look.daemonJob;
  const { starts, stopped, resumed, removed, dropped, deletesDaemonJob } = expected;
  const names = starts.map((start) => nameOf(look.daemonJob, start));
  const wanted = [
    ...names.map((name) => `create ${name}`),
    ...stopped.map(ofJob('suspend')),
    ...resumed.map(ofJob('resume')),
    ...removed.map(ofJob('delete Foreground')),
    ...dropped.map(ofJob('delete Background')),
    ...(deletesDaemonJob
      ? [`delete Background ${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`]
      : []),
  ];
  const creates = plan
    .map((stage) => stage.filter((operation) => operation.kind === 'create'))
    .filter((stage) => stage.length > 0);
  const stages = creates.map((stage) => stage.map(({ object }) => object.metadata.name));
  return [
    ...operationDifferences(metadata.uid, wanted, plan.flat()),
    ...differs('stages of creates', slowStart(names), stages),
    ...creates.flat().flatMap(({ object }, index) => {
      const start = starts[index];
      return start === undefined ? [] : createdJobFaults(look.daemonJob, start, object);
    }),
  ];
}

function nameOf(daemonJob: DaemonJob, { node, attempt }: NodeState): string {
  return jobName(daemonJob, node.metadata.name, attempt);
}

function againFaults(
  look: DaemonLook,
  { againAtMs, asksAfterRecord }: Expected,
  waitsUntilMs: number,
  { plan, requeueAtMs }: Decision,
): readonly string[] {
  const isWritten = plan.flat().some(({ kind }) => kind === 'patchStatus');
  const followMs = isWritten && asksAfterRecord ? look.atMs : Infinity;
  const ms = Math.min(...againAtMs.map((each = Infinity) => each), waitsUntilMs, followMs);
  return differs('at', Number.isFinite(ms) ? ms : undefined, requeueAtMs);
}
