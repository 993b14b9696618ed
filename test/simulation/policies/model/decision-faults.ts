/** Where a decision differs from the rules. */
import type { SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { Decision } from '#shared/domain/decision.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { SuspendSnapshot } from '#functions/suspend-schedule/snapshot.ts';
import { type Deed, expectedDeeds, isFreed } from './expected-deeds.ts';
import { openingAt } from './closed-times.ts';

export function decisionFaults(
  snapshot: SuspendSnapshot,
  nowMs: number,
  decision: Decision,
): readonly string[] {
  const { policy, rejections } = snapshot;
  // After a refusal, neither it nor anything else is requested for a while.
  if (rejections.length > 0) return [];
  if (policy.metadata.deletionTimestamp !== undefined) return whileGoing(snapshot, nowMs, decision);
  const operations = decision.plan.flat();
  if ((policy.metadata.finalizers ?? []).length === 0) {
    const isFirst = operations.length === 1 && isFinalizer(operations[0]!);
    return isFirst ? [] : ['model, policy: does more than to put its finalizer on'];
  }
  const expected = expectedDeeds(snapshot, nowMs);
  const done = deedsIn(operations);
  const faults = policy.spec.dryRun === true ? dryFaults(done) : deedFaults(expected.deeds, done);
  return [
    ...faults,
    ...statusFaults(snapshot, nowMs, decision, expected.held),
    ...recordFaults(snapshot, decision),
  ];
}

function dryFaults(done: ReadonlyMap<string, Deed>): readonly string[] {
  return done.size === 0 ? [] : ['model, policy: only reports what it would do, and does it'];
}

function deedFaults(
  expected: ReadonlyMap<string, Deed>,
  done: ReadonlyMap<string, Deed>,
): readonly string[] {
  const uids = new Set([...expected.keys(), ...done.keys()]);
  return [...uids].flatMap((uid) => {
    const [due, came] = [expected.get(uid) ?? 'nothing', done.get(uid) ?? 'nothing'];
    return due === came ? [] : [`model, policy: ${uid} is due to ${due}, and it is to ${came}`];
  });
}

/** It resumes or leaves what it holds, removes its mark from resumed objects, and is gone when nothing is left. */
function whileGoing(
  { policy, objects, rivals }: SuspendSnapshot,
  nowMs: number,
  decision: Decision,
): readonly string[] {
  const { metadata, spec } = policy;
  if ((metadata.finalizers ?? []).length === 0) return [];
  const isTakenOver = (index: number) => !openingAt(rivals[index]?.schedule, nowMs).isOpen;
  const due = new Map<string, Deed>();
  for (const { uid, suspend, mark, held, rivals: others = [] } of objects) {
    if (mark?.startsWith(`${metadata.uid}/`) !== true) continue;
    if (!suspend || isFreed(mark)) due.set(uid, 'clear');
    else if (spec.onDelete === 'Leave') {
      if (held !== undefined && others.length === 0) due.set(uid, 'free');
    } else if (!others.some(isTakenOver)) due.set(uid, 'resume');
  }
  const operations = decision.plan.flat();
  if (due.size === 0) {
    const isLast = operations.length === 1 && isFinalizer(operations[0]!);
    return isLast ? [] : ['model, policy: does not go although nothing is held'];
  }
  return deedFaults(due, deedsIn(operations));
}

function isFinalizer(operation: Operation): boolean {
  const { metadata } = operation.kind === 'patch' ? operation.patch : {};
  return (metadata as JsonObject | undefined)?.['finalizers'] !== undefined;
}

function deedsIn(operations: readonly Operation[]): ReadonlyMap<string, Deed> {
  const deeds = new Map<string, Deed>();
  for (const operation of operations) {
    if (operation.kind === 'patch') deeds.set(operation.uid, deedOf(operation.patch));
  }
  return deeds;
}

function deedOf({ spec, metadata }: JsonObject): Deed {
  const { suspend } = (spec ?? {}) as JsonObject;
  if (suspend === true) return 'suspend';
  if (suspend === false) return 'resume';
  const { annotations: notes } = (metadata ?? {}) as { readonly annotations?: JsonObject };
  const { [annotations.suspendedBy]: mark, [annotations.held]: held } = notes ?? {};
  if (mark === null) return 'clear';
  if (held === null) return 'free';
  return typeof mark === 'string' ? 'mark' : 'warn';
}

/** Under a capacity, an object's place is recorded before it is resumed. */
function recordFaults({ policy, objects }: SuspendSnapshot, { plan }: Decision): readonly string[] {
  if (policy.spec.capacity === undefined) return [];
  const isRecorded = new Set<string>();
  return plan.flat().flatMap((operation) => {
    if (operation.kind === 'patchStatus') {
      const { lastResumed = [] } = operation.status as SuspendPolicyStatus;
      for (const { object } of lastResumed) isRecorded.add(object);
      return [];
    }
    if (operation.kind !== 'patch' || deedOf(operation.patch) !== 'resume') return [];
    const found = objects.find(({ uid }) => uid === operation.uid);
    if (found === undefined || found.isSelected === false || found.isStarting === true) return [];
    const name = `${found.kind}/${found.namespace}/${found.name}`;
    return isRecorded.has(name) ? [] : [`model, policy: resumes ${name}, which is not on record`];
  });
}

/** The status after its write. */
function statusFaults(
  { policy }: SuspendSnapshot,
  nowMs: number,
  { plan }: Decision,
  held: number,
): readonly string[] {
  const write = plan.flat().find(({ kind }) => kind === 'patchStatus');
  if (write?.kind !== 'patchStatus') return [];
  const said = { ...(policy.status as JsonObject | undefined), ...write.status };
  const state = openingAt(policy.spec.schedule, nowMs).isOpen ? 'Open' : 'Closed';
  return [
    ...(said['state'] === state
      ? []
      : [`model, policy: says ${JSON.stringify(said['state'])}, is ${state}`]),
    ...(said['held'] === held
      ? []
      : [`model, policy: says held ${JSON.stringify(said['held'])}, is ${held}`]),
  ];
}
