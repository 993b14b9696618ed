/** `millrace install` and `upgrade`. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '#shared/kube/client.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { applyAll, leftOver, removeAll } from '../installation/apply.ts';
import { chosenManifests } from '../installation/chosen.ts';
import { type Check, requirements, stateOf } from '../installation/cluster-checks.ts';
import { openClusterDesk } from '../installation/cluster-desk.ts';
import { type Installed, nameOf, resourceOf } from '../installation/installed-resources.ts';
import { waitUntilReady } from '../installation/wait-until-ready.ts';
import type { InstallOptions } from './install-options.ts';

export type Say = (line: string) => void;

/** Also `upgrade`: existing objects are changed if they differ. Throws CommandFailure. */
export async function install(options: InstallOptions, say: Say): Promise<void> {
  if (options.output === 'yaml') {
    await printManifests(options, say);
    return;
  }
  await using desk = await openClusterDesk(options);
  const { client } = desk;
  const { namespace, dryRun = false } = options;
  const unmet = printed(await requirements(client, options), say);
  if (unmet.length > 0) throw failure(unmet, 'nothing was written; correct this and try again');
  const manifests = chosenManifests(options);
  const superfluous = await leftOver(client, manifests, namespace);
  for (const { resource, object } of superfluous) {
    say(`${dryRun ? 'would remove' : 'removing'} ${resource.plural}/${object.metadata.name}`);
  }
  if (dryRun) {
    for (const line of await foreseen(client, manifests)) say(line);
    say(`would apply ${manifests.length} manifests into the namespace ${namespace}`);
    return;
  }
  await removeAll(client, superfluous);
  await applyAll(client, manifests, false);
  say(`applied ${manifests.length} manifests into the namespace ${namespace}`);
  if (!options.wait) return;
  await waitUntilReady({
    ...{ say, sleep, timeoutSeconds: options.timeout },
    look: () => stateOf(client, manifests),
    report: (line) => process.stderr.write(`${line}\n`),
    nowMs: () => performance.now(),
  });
}

/** The manifests of `deploy` with the chosen options, without access to a cluster. Throws CommandFailure. */
async function printManifests(options: InstallOptions, say: Say): Promise<void> {
  if (options.dryRun !== true) {
    const message = '-o yaml prints what would be applied: it needs --dry-run';
    throw new CommandFailure(exitCodes.usage, message, 'millrace install --dry-run -o yaml');
  }
  const { manifestStream } = await import('#shared/api/manifest-stream.ts');
  const stream = manifestStream(chosenManifests(options));
  for (const line of stream.trimEnd().split('\n')) say(line);
}

/** One line per object, by name. */
async function foreseen(
  client: Pick<KubeClient, 'get'>,
  manifests: readonly Installed[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const manifest of manifests) {
    const { namespace = '', name } = manifest.metadata;
    const isThere = (await client.get(resourceOf(manifest), { namespace, name })) !== undefined;
    lines.push(`would ${isThere ? 'update' : 'create'} ${nameOf(manifest)}`);
  }
  return lines;
}

/** Prints one line per check. Returns the failed ones. */
function printed(checks: readonly Check[], say: Say): readonly Check[] {
  for (const check of checks) say(`${check.isGood ? 'ok  ' : 'FAIL'} ${wordsOf(check)}`);
  return checks.filter(({ isGood }) => !isGood);
}

function wordsOf({ about, detail, next }: Check): string {
  return `${about}: ${detail}${next === undefined ? '' : `; ${next}`}`;
}

function failure(unmet: readonly Check[], next: string): CommandFailure {
  const words = unmet.map(wordsOf).join('; ');
  return new CommandFailure(exitCodes.general, words, next);
}
