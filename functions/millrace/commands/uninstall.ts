/** `millrace uninstall`. */
import { resourceKey } from '#shared/domain/objects.ts';
import { counted, listed } from '#shared/domain/wording.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { removeAll } from '../installation/apply.ts';
import { openClusterDesk } from '../installation/cluster-desk.ts';
import {
  type Left,
  namesWithOurFinalizers,
  objectsLeft,
  removables,
} from '../installation/removal.ts';
import { requireConfirmed } from '../terminal/confirm.ts';
import type { UninstallOptions } from './install-options.ts';

/** Keeps the kinds and their objects, unless the options say otherwise. Throws CommandFailure. */
export async function uninstall(
  options: UninstallOptions,
  say: (line: string) => void,
): Promise<void> {
  await using desk = await openClusterDesk(options);
  const { client } = desk;
  const { namespace, deleteObjects = false, dryRun = false } = options;
  const left = await objectsLeft(client);
  const count = left.reduce((sum, { objects }) => sum + objects.length, 0);
  // After the removal, nothing would remove the finalizers of these objects.
  if (deleteObjects && count > 0) throw objectsRemain(left, count);
  const going = await removables(client, namespace, { kinds: deleteObjects });
  if (going.length === 0) {
    say(`nothing of Millrace is installed in the namespace ${namespace}`);
    return;
  }
  const what = `${counted(going.length, 'object')} of Millrace in the namespace ${namespace}`;
  if (!deleteObjects) say(`the kinds and their ${counted(count, 'object')} stay`);
  const held = namesWithOurFinalizers(left);
  if (held.length > 0) {
    say(`only a running Millrace removes the finalizers of ${listed(held)}`);
  }
  if (dryRun) {
    say(`would remove ${what}`);
    return;
  }
  await requireConfirmed(`remove ${what}?`, options);
  say(`removing ${what}`);
  await removeAll(client, going);
}

function objectsRemain(left: readonly Left[], count: number): CommandFailure {
  const plurals = left.map(({ resource }) => resourceKey(resource)).join();
  const held = namesWithOurFinalizers(left);
  const which = held.length === 0 ? '' : `: ${listed(held)}`;
  const areLeft = count === 1 ? 'is left, and its' : 'are left, and their';
  return new CommandFailure(
    exitCodes.invalidInput,
    `${counted(count, 'object')} of Millrace ${areLeft} finalizers stay once Millrace is gone${which}`,
    `kubectl delete ${plurals} --all -A, and then again`,
  );
}
