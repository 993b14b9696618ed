/** `millrace cancel`: sets `spec.shutdown`. */
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { findOne } from '../find-named.ts';
import { shortNameOf } from '../full-name.ts';
import { ObjectPrinter } from '../object-printer.ts';
import { openCluster } from '../open-cluster.ts';
import { requireWhole } from '../require-whole.ts';
import { isOver } from '../why/conditions.ts';
import { retriedKinds } from '../wishes/kinds.ts';
import type { CancelOptions } from '../wishes/wish-options.ts';
import { dryRunNote, writeWish } from '../wishes/write-wish.ts';

/** Ends the object early and keeps its record. Throws CommandFailure. */
export async function cancel(
  what: string,
  options: CancelOptions,
  say: (line: string) => void,
): Promise<void> {
  requireWhole(what, 'cancel', 'flow or DaemonJob');
  await using cluster = await openCluster(options, 'cancel');
  const { kind, object } = await findOne(what, retriedKinds, cluster);
  const { resource } = kind;
  const called = shortNameOf(resource, object);
  if (isOver(object)) {
    const message = `${called} has ended already`;
    throw new CommandFailure(exitCodes.invalidInput, message, `millrace get ${called}`);
  }
  const shutdown = options.graceful === true ? 'Stop' : 'Terminate';
  const written = await writeWish(cluster, resource, object, { spec: { shutdown } }, options);
  const words = shutdown === 'Stop' ? 'its running Jobs finish' : 'its running Jobs are deleted';
  using printer = new ObjectPrinter(options, say);
  printer.print(resource, written, `${called} is being cancelled: ${words}${dryRunNote(options)}`);
}
