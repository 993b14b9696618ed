/** `millrace retry`: writes the annotation that starts failed and skipped parts again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import { type KubeObject, objectName, type Resource } from '#shared/domain/objects.ts';
import { listed } from '#shared/domain/wording.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { findOne } from '../find-named.ts';
import { shortNameOf } from '../full-name.ts';
import { ObjectPrinter } from '../object-printer.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { requirePart } from '../require-part.ts';
import { conditionsOf } from '../why/conditions.ts';
import { retriedKinds } from '../wishes/kinds.ts';
import { nextRetryValue } from '../wishes/retry-value.ts';
import type { RetryOptions } from '../wishes/wish-options.ts';
import { dryRunNote, writeWish } from '../wishes/write-wish.ts';

const betweenLooksMs = 200;
/** Longer lists are summarized. */
const mostNames = 20;

/** Waits until Millrace has accepted or refused it. Throws CommandFailure. */
export async function retry(
  what: string,
  options: RetryOptions,
  say: (line: string) => void,
): Promise<void> {
  await using cluster = await openCluster(options, 'retry');
  const { kind, object, named } = await findOne(what, retriedKinds, cluster);
  const { resource, retriedParts, stepsOf } = kind;
  const called = shortNameOf(resource, object);
  const steps = [...(options.step ?? []), ...(named.part === undefined ? [] : [named.part])];
  if (steps.length > 0 && stepsOf === undefined) {
    const message = `a ${resource.kind} is retried as a whole: its failed nodes start again`;
    throw new CommandFailure(exitCodes.usage, message, `millrace retry ${called}`);
  }
  for (const step of steps) {
    requirePart({ kind: resource.kind, name: named.name }, step, stepsOf?.(object) ?? []);
  }
  const { state, failed = 0 } = fieldsOf(object.status);
  if (state !== 'Failed' && failed === 0) {
    const message = `nothing of ${called} has failed`;
    throw new CommandFailure(exitCodes.invalidInput, message, `millrace get ${called}`);
  }
  const value = nextRetryValue(object, steps);
  const { names, refusal } = retriedParts(object, value);
  if (options.dryRun === true && refusal !== undefined) throw refused(called, refusal);
  const patch = { metadata: { annotations: { [annotations.retry]: value } } };
  const written = await writeWish(cluster, resource, object, patch, options);
  const answered =
    options.dryRun === true
      ? written
      : await answerTo(value, resource, object, options.timeout, cluster);
  const parts = names.length === 0 ? '' : `: ${listed(names, mostNames)}`;
  using printer = new ObjectPrinter(options, say);
  printer.print(resource, answered, `${called} is retried${parts}${dryRunNote(options)}`);
}

/** The object once the retry is handled. Throws CommandFailure if it is refused or not handled in time. */
async function answerTo(
  value: string,
  resource: Resource,
  { metadata }: KubeObject,
  seconds: number,
  { client }: OpenedCluster,
): Promise<KubeObject> {
  const called = shortNameOf(resource, { metadata });
  const deadline = performance.now() + seconds * 1_000;
  for (;;) {
    const now = await client.get(resource, objectName(metadata));
    if (now === undefined) {
      const message = `${called} was deleted`;
      throw new CommandFailure(exitCodes.notFound, message, 'millrace get');
    }
    if (textOf(fieldsOf(now.status)['retryNonce']) === value) {
      const refusal = conditionsOf(now).find(
        ({ type, status }) => type === 'RetryRefused' && status === 'True',
      );
      if (refusal === undefined) return now;
      throw refused(called, refusal);
    }
    if (performance.now() > deadline) {
      const message = `no Millrace has answered within ${seconds} s; the request stays written`;
      throw new CommandFailure(exitCodes.timeout, message, `millrace why ${called}`);
    }
    await sleep(betweenLooksMs);
  }
}

function refused(
  called: string,
  { reason, message }: { readonly reason: string; readonly message: string },
): CommandFailure {
  const words = `${reason}: ${message}`;
  return new CommandFailure(exitCodes.invalidInput, words, `millrace why ${called}`);
}
