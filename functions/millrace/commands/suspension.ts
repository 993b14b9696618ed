/** `millrace suspend` and `resume`: set `spec.suspend`, or override a suspend policy. */
import { fieldsOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import { queueLabel } from '#shared/domain/queue-labels.ts';
import { readOverride } from '#shared/suspension/override.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { findOne } from '../find-named.ts';
import { shortNameOf } from '../full-name.ts';
import { namedObject } from '../named-object.ts';
import { ObjectPrinter } from '../object-printer.ts';
import { openCluster } from '../open-cluster.ts';
import { requireWhole } from '../require-whole.ts';
import { hasEnded } from '../why/conditions.ts';
import { wishedKinds } from '../wishes/kinds.ts';
import type { SuspendOptions } from '../wishes/wish-options.ts';
import { dryRunNote, writeWish } from '../wishes/write-wish.ts';
import { openGates } from './approve.ts';

type Say = (line: string) => void;

/** Throws CommandFailure. */
export async function suspend(what: string, options: SuspendOptions, say: Say): Promise<void> {
  requireWhole(what, 'suspend', 'flow, DaemonJob, AppWrapper or Job');
  await setSuspension(true, what, options, say);
}

/** If a suspend policy holds the object, an override is set. For a step the gate is opened. Throws CommandFailure. */
export async function resume(what: string, options: SuspendOptions, say: Say): Promise<void> {
  if (namedObject(what).part === undefined) {
    await setSuspension(false, what, options, say);
    return;
  }
  if (options.until !== undefined) {
    const message = '--until is for a whole that a suspend policy governs, not for a gate';
    throw new CommandFailure(exitCodes.usage, message, `millrace resume ${what}`);
  }
  await openGates(what, options, 'resume', say);
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
  await using cluster = await openCluster(options, isWanted ? 'suspend' : 'resume');
  const { kind, object } = await findOne(what, wishedKinds, cluster);
  const { resource } = kind;
  const called = shortNameOf(resource, object);
  if (isWanted && hasEnded(object)) {
    const message = `${called} has ended: there is nothing to suspend`;
    throw new CommandFailure(exitCodes.invalidInput, message, `millrace get ${called}`);
  }
  const given = object.metadata.annotations ?? {};
  const isGoverned = Object.hasOwn(given, annotations.held) || until !== undefined;
  const before = fieldsOf(object.spec)['suspend'] === true;
  const word = isWanted ? 'suspended' : 'resumed';
  using printer = new ObjectPrinter(options, say);
  if (isGoverned) {
    const patch = { metadata: { annotations: { [annotations.suspendOverride]: override } } };
    const written = await writeWish(cluster, resource, object, patch, options);
    const asked = `${called} ${annotations.suspendOverride}=${override}`;
    const sentence = `${asked}: ${word} by its suspend policy${dryRunNote(options)}`;
    printer.print(resource, written, sentence);
    return;
  }
  // An earlier override would revert the change.
  const overridden = Object.hasOwn(given, annotations.suspendOverride);
  if (before === isWanted && !overridden) {
    const sentence = `${called} is ${isWanted ? 'suspended already' : 'not suspended'}`;
    printer.print(resource, object, sentence);
    return;
  }
  const queue = object.metadata.labels?.[queueLabel];
  if (!isWanted && queue !== undefined) {
    const message = `${called} waits in the queue ${queue} of Kueue, which resumes it`;
    throw new CommandFailure(exitCodes.invalidInput, message, `millrace why ${called}`);
  }
  const cleared = { metadata: { annotations: { [annotations.suspendOverride]: null } } };
  const patch = { spec: { suspend: isWanted }, ...(overridden ? cleared : {}) };
  const written = await writeWish(cluster, resource, object, patch, options);
  printer.print(resource, written, `${called} is ${word}${dryRunNote(options)}`);
}
