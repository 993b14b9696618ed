/** `millrace suspend` and `resume`: set `spec.suspend`, or override a suspend policy. */
import { fieldsOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { findOne } from '../find-named.ts';
import { momentOf } from '../journal/moment.ts';
import { shortNameOf } from '../full-name.ts';
import { namedObject } from '../named-object.ts';
import { ObjectPrinter } from '../object-printer.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { requireWhole } from '../require-whole.ts';
import { isOver } from '../why/conditions.ts';
import { refusalInQueue } from '../wishes/hold-in-queue.ts';
import { wishedKinds } from '../wishes/kinds.ts';
import { policiesOver } from '../wishes/policies-over.ts';
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
  await using cluster = await openCluster(options, isWanted ? 'suspend' : 'resume');
  const { kind, object } = await findOne(what, wishedKinds, cluster);
  const { resource } = kind;
  const called = shortNameOf(resource, object);
  const override = `${isWanted ? 'Hold' : 'Run'}${untilOf(options, cluster)}`;
  const before = fieldsOf(object.spec)['suspend'] === true;
  // An ended object that is suspended may be resumed: a retry would start it suspended.
  if (isOver(object) && (isWanted || !before)) {
    const verb = isWanted ? 'suspend' : 'resume';
    const message = `${called} has ended: there is nothing to ${verb}`;
    throw new CommandFailure(exitCodes.invalidInput, message, `millrace get ${called}`);
  }
  const isGoverned = await needsOverride(isWanted, { resource, object }, options, cluster);
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
  const refusal = await refusalInQueue(isWanted, { object, called }, cluster);
  if (refusal !== undefined && (isWanted || before)) throw refusal;
  // An earlier override would revert the change.
  const overridden = isOverridden(object);
  if (before === isWanted && !overridden) {
    const sentence = `${called} is ${isWanted ? 'suspended already' : 'not suspended'}`;
    printer.print(resource, object, sentence);
    return;
  }
  const cleared = { metadata: { annotations: { [annotations.suspendOverride]: null } } };
  const patch = { spec: { suspend: isWanted }, ...(overridden ? cleared : {}) };
  const written = await writeWish(cluster, resource, object, patch, options);
  printer.print(resource, written, `${called} is ${word}${dryRunNote(options)}`);
}

/** What the annotation says about the end of the override. Throws CommandFailure if that is past. */
function untilOf({ until }: SuspendOptions, cluster: OpenedCluster): string {
  if (until === undefined) return '';
  const nowMs = cluster.nowMs();
  const untilMs = momentOf(until, nowMs, 'after') ?? nowMs;
  if (untilMs > nowMs) return `;until=${rfc3339(untilMs)}`;
  const message = `--until ${until} is past: in the cluster it is ${rfc3339(nowMs)}`;
  const next = 'write a later time, or how long, such as --until 8h';
  throw new CommandFailure(exitCodes.usage, message, next);
}

/** Whether a suspend policy would revert a change of `spec.suspend`. Throws CommandFailure if it takes no override. */
async function needsOverride(
  isWanted: boolean,
  { resource, object }: { readonly resource: Resource; readonly object: KubeObject },
  { until }: SuspendOptions,
  cluster: OpenedCluster,
): Promise<boolean> {
  const called = shortNameOf(resource, object);
  const policies = await policiesOver(object, cluster);
  if (until !== undefined && policies?.length === 0) {
    const message = `no suspend policy selects ${called}, so --until would have no effect`;
    throw new CommandFailure(exitCodes.invalidInput, message, 'the same without --until');
  }
  const isHeld = Object.hasOwn(object.metadata.annotations ?? {}, annotations.held);
  const isClosed = policies?.some(({ status }) => status?.state !== 'Open') === true;
  const isSuspended = fieldsOf(object.spec)['suspend'] === true;
  const needed =
    isHeld ||
    until !== undefined ||
    (isOverridden(object) && policies?.length !== 0) ||
    (isClosed && isSuspended && !isWanted);
  const forbidding = policies?.find(({ spec }) => spec.overrides === 'Forbid');
  if (needed && forbidding !== undefined) {
    const { kind, metadata } = forbidding;
    const message = `${kind} ${metadata.name} decides about ${called}, and forbids overrides`;
    throw new CommandFailure(exitCodes.invalidInput, message, `millrace why ${called}`);
  }
  return needed;
}

function isOverridden({ metadata }: KubeObject): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, annotations.suspendOverride);
}
