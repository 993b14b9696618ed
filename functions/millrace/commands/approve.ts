/** `millrace approve`: opens the manual gates of a flow or DaemonJob. */
import { fieldsOf } from '#shared/domain/json-value.ts';
import { resources } from '#shared/domain/resources.ts';
import { heldWords } from '#shared/domain/held-note.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { findOne } from '../find-named.ts';
import { shortNameOf } from '../full-name.ts';
import { ObjectPrinter } from '../object-printer.ts';
import { openCluster } from '../open-cluster.ts';
import { jobsOf } from '../picture/jobs-of.ts';
import { requirePartOf } from '../picture/of-part.ts';
import { type Gate, gatesOf } from '../wishes/gates.ts';
import { gatedKinds } from '../wishes/gated-kinds.ts';
import type { WishOptions } from '../wishes/wish-options.ts';
import { dryRunNote, writeWish } from '../wishes/write-wish.ts';

type Say = (line: string) => void;

/** Throws CommandFailure. */
export async function approve(what: string, options: WishOptions, say: Say): Promise<void> {
  await openGates(what, options, 'approve', say);
}

/** Opens the gate of one part, or all waiting gates. Throws CommandFailure. */
export async function openGates(
  what: string,
  options: WishOptions,
  verb: 'approve' | 'resume',
  say: Say,
): Promise<void> {
  await using cluster = await openCluster(options, verb);
  const { kind, object, named } = await findOne(what, gatedKinds, cluster);
  const { resource, observer } = kind;
  const { part } = named;
  const called = shortNameOf(resource, object);
  if (part !== undefined) {
    const jobs = await jobsOf(kind, object, cluster);
    requirePartOf(observer(object)(object, jobs, Date.now()), resource.kind, part);
  }
  const gates = (await gatesOf(kind, object, cluster)).filter(
    (gate) => part === undefined || gate.part === part,
  );
  if (gates.length === 0) {
    const about =
      part === undefined ? `nothing of ${called} waits` : `${called}/${part} does not wait`;
    saysNothing(options, say)(`${about} at a gate`);
    return;
  }
  requireRunning(object, called);
  const open = gates.filter(({ holder }) => holder === undefined);
  using printer = new ObjectPrinter(options, say);
  for (const { part: each, job } of open) {
    // Any later hold changes the Job's version. The patch then fails instead of starting the Job in spite of it.
    const { resourceVersion } = job.metadata;
    const patch = { metadata: { resourceVersion }, spec: { suspend: false } };
    const written = await writeWish(cluster, resources.Job, job, patch, options);
    const word = verb === 'approve' ? 'approved' : 'resumed';
    const sentence = `${called}/${each} is ${word}: ${shortNameOf(resources.Job, job)} starts`;
    printer.print(resources.Job, written, `${sentence}${dryRunNote(options)}`);
  }
  requireUnheld(called, gates);
}

/** With `-o`, standard output contains only objects, so text goes to standard error. */
function saysNothing({ output = 'text' }: WishOptions, say: Say): Say {
  return output === 'text' ? say : (line) => void process.stderr.write(`${line}\n`);
}

/** Throws CommandFailure if the whole is suspended: then its Jobs may not start. */
function requireRunning({ metadata, spec }: KubeObject, called: string): void {
  if (fieldsOf(spec)['suspend'] !== true) return;
  const message = `${called} is ${heldWords(metadata) ?? 'suspended'}, so its Jobs may not start`;
  throw new CommandFailure(exitCodes.invalidInput, message, `millrace why ${called}`);
}

/** Throws CommandFailure if something other than the gate holds one of the Jobs. */
function requireUnheld(called: string, gates: readonly Gate[]): void {
  const held = gates.filter(({ holder }) => holder !== undefined);
  const [first] = held;
  if (first === undefined) return;
  const job = shortNameOf(resources.Job, first.job);
  const reasons = held.map(({ part, holder }) => `${called}/${part} is ${holder ?? ''}`);
  const message = `${reasons.join('; ')}: approval does not start that`;
  throw new CommandFailure(exitCodes.invalidInput, message, `millrace why ${job}`);
}
