/** `millrace retry`, `cancel`, `suspend` and `resume`: they write the fields and annotations that the kinds document. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import {
  type JsonObject,
  type KubeObject,
  objectName,
  type Resource,
} from '#shared/domain/objects.ts';
import { readOverride } from '#shared/suspension/override.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { findOne } from '../find-named.ts';
import { requireWhole } from '../require-part.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { conditionsOf, hasEnded } from '../why/conditions.ts';
import { retriedKinds, wishedKinds } from '../wishes/kinds.ts';
import { nextRetryValue } from '../wishes/retry-value.ts';
import type { CancelOptions, RetryOptions, SuspendOptions, WishOptions } from './wish-options.ts';

type Say = (line: string) => void;

const fieldManager = 'millrace-cli';
const betweenLooksMs = 200;

/** Waits until Millrace has accepted or refused it. Throws CommandFailure. */
export async function retry(what: string, options: RetryOptions, say: Say): Promise<void> {
  await using cluster = await openCluster(options, 'retry');
  const { kind, object, named } = await findOne(what, retriedKinds, cluster);
  const steps = [...(options.step ?? []), ...(named.part === undefined ? [] : [named.part])];
  const called = calledOf(kind.resource, object);
  if (steps.length > 0 && kind.hasSteps !== true) {
    const message = `a ${kind.resource.kind} is retried as a whole: its failed nodes start again`;
    throw new CommandFailure(exitCodes.usage, message, `millrace retry ${called}`);
  }
  const { state, failed = 0 } = fieldsOf(object.status);
  if (state !== 'Failed' && failed === 0) {
    const message = `nothing of ${called} has failed`;
    throw new CommandFailure(exitCodes.invalidInput, message, `millrace get ${called}`);
  }
  const value = nextRetryValue(object, steps);
  const patch = { metadata: { annotations: { [annotations.retry]: value } } };
  await write(cluster, kind.resource, object, patch, options);
  const asked = `${called} ${annotations.retry}=${value}`;
  if (options.dryRun === true) say(`${asked} (dry run)`);
  else say(`${called} ${await answerTo(value, kind.resource, object, options.timeout, cluster)}`);
}

/** What has been retried, in words. Throws CommandFailure where it is refused, and where nobody answers. */
async function answerTo(
  value: string,
  resource: Resource,
  { metadata }: KubeObject,
  seconds: number,
  { client }: OpenedCluster,
): Promise<string> {
  const called = calledOf(resource, { metadata });
  const deadline = performance.now() + seconds * 1_000;
  for (;;) {
    const now = await client.get(resource, objectName(metadata));
    if (now === undefined) {
      const message = `${called} was deleted`;
      throw new CommandFailure(exitCodes.notFound, message, 'millrace get');
    }
    if (textOf(fieldsOf(now.status)['retryNonce']) === value) {
      const refused = conditionsOf(now).find(
        ({ type, status }) => type === 'RetryRefused' && status === 'True',
      );
      if (refused === undefined) return 'is retried';
      const words = `${refused.reason}: ${refused.message}`;
      throw new CommandFailure(exitCodes.invalidInput, words, `millrace why ${called}`);
    }
    if (performance.now() > deadline) {
      const message = `no Millrace has answered within ${seconds} s; the wish stays written`;
      throw new CommandFailure(exitCodes.timeout, message, `millrace why ${called}`);
    }
    await sleep(betweenLooksMs);
  }
}

/** Ends it early and keeps its record. Throws CommandFailure. */
export async function cancel(what: string, options: CancelOptions, say: Say): Promise<void> {
  requireWhole(what, 'cancel', 'flow or DaemonJob');
  await using cluster = await openCluster(options, 'cancel');
  const { kind, object } = await findOne(what, retriedKinds, cluster);
  const called = calledOf(kind.resource, object);
  if (hasEnded(object)) {
    const message = `${called} has ended already`;
    throw new CommandFailure(exitCodes.invalidInput, message, `millrace get ${called}`);
  }
  const shutdown = options.graceful === true ? 'Stop' : 'Terminate';
  await write(cluster, kind.resource, object, { spec: { shutdown } }, options);
  const words = shutdown === 'Stop' ? 'running Jobs finish' : 'running Jobs are deleted';
  say(`${called} is cancelled: ${words}${dryRunNote(options)}`);
}

/** Throws CommandFailure. */
export async function suspend(what: string, options: SuspendOptions, say: Say): Promise<void> {
  await setSuspension(true, what, options, say);
}

/** What a suspend policy holds is let go by an override. Throws CommandFailure. */
export async function resume(what: string, options: SuspendOptions, say: Say): Promise<void> {
  await setSuspension(false, what, options, say);
}

async function setSuspension(
  isWanted: boolean,
  what: string,
  options: SuspendOptions,
  say: Say,
): Promise<void> {
  const { until } = options;
  const override = `${isWanted ? 'Hold' : 'Run'}${until === undefined ? '' : `;until=${until}`}`;
  const fault = readOverride(override);
  if (typeof fault === 'string') {
    throw new CommandFailure(exitCodes.usage, fault, '--until 2026-11-21T18:00:00Z');
  }
  if (isWanted) requireWhole(what, 'suspend', 'flow, DaemonJob, AppWrapper or Job');
  await using cluster = await openCluster(options, isWanted ? 'suspend' : 'resume');
  const { kind, object } = await findOne(what, wishedKinds, cluster);
  const called = calledOf(kind.resource, object);
  const given = object.metadata.annotations ?? {};
  const isGoverned = Object.hasOwn(given, annotations.held) || until !== undefined;
  const before = fieldsOf(object.spec)['suspend'] === true;
  const word = isWanted ? 'suspended' : 'resumed';
  if (isGoverned) {
    const patch = { metadata: { annotations: { [annotations.suspendOverride]: override } } };
    await write(cluster, kind.resource, object, patch, options);
    say(
      `${called} ${annotations.suspendOverride}=${override}: ${word} by its suspend policy${dryRunNote(options)}`,
    );
    return;
  }
  // An override of before would undo it.
  const overridden = Object.hasOwn(given, annotations.suspendOverride);
  if (before === isWanted && !overridden) {
    say(`${called} is ${isWanted ? 'suspended' : 'not suspended'} already`);
    return;
  }
  const cleared = { metadata: { annotations: { [annotations.suspendOverride]: null } } };
  const patch = { spec: { suspend: isWanted }, ...(overridden ? cleared : {}) };
  await write(cluster, kind.resource, object, patch, options);
  say(`${called} is ${word}${dryRunNote(options)}`);
}

async function write(
  { client }: OpenedCluster,
  resource: Resource,
  { metadata }: KubeObject,
  patch: JsonObject,
  { dryRun = false }: WishOptions,
): Promise<void> {
  const onWarning = (text: string): void => void process.stderr.write(`Warning: ${text}\n`);
  const options = { type: 'merge', fieldManager, dryRun, onWarning } as const;
  await client.patch(resource, objectName(metadata), patch, options);
}

function calledOf({ kind }: Resource, { metadata }: Pick<KubeObject, 'metadata'>): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}

function dryRunNote({ dryRun = false }: WishOptions): string {
  return dryRun ? ' (dry run)' : '';
}
