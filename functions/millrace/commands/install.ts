/** `millrace install`, `upgrade` and `uninstall`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { kinds } from '#functions/list.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { type Resource, resourceKey } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { applyAll, leftOver, removeAll } from '../installation/apply.ts';
import { chosenManifests } from '../installation/chosen.ts';
import { type Check, requirements, stateOf } from '../installation/cluster-checks.ts';
import { openClusterDesk } from '../installation/cluster-desk.ts';
import { type Installed, nameOf, resourceOf } from '../installation/installed-resources.ts';
import type { InstallOptions, UninstallOptions } from './install-options.ts';

export type Say = (line: string) => void;

const betweenLooksMs = 1_000;

/** Also `upgrade`: what is there already is changed where it differs. Throws CommandFailure. */
export async function install(options: InstallOptions, say: Say): Promise<void> {
  if (options.output === 'yaml') {
    await printManifests(options, say);
    return;
  }
  await using desk = await openClusterDesk(options);
  const { client } = desk;
  const { namespace, dryRun = false } = options;
  const unmet = tellOf(await requirements(client, options), say);
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
  if (options.wait) await untilGood(client, manifests, options.timeout, say);
}

/** As `deploy` has them, with what was chosen; no cluster is asked. Throws CommandFailure. */
async function printManifests(options: InstallOptions, say: Say): Promise<void> {
  if (options.dryRun !== true) {
    const message = '-o yaml prints what would be applied: it needs --dry-run';
    throw new CommandFailure(exitCodes.usage, message, 'millrace install --dry-run -o yaml');
  }
  const { manifestStream } = await import('#shared/api/manifest-stream.ts');
  const stream = manifestStream(chosenManifests(options));
  for (const line of stream.trimEnd().split('\n')) say(line);
}

/** Of the kinds and their objects nothing is removed unless that is asked for. */
export async function uninstall(options: UninstallOptions, say: Say): Promise<void> {
  await using desk = await openClusterDesk(options);
  const { client } = desk;
  const { namespace, deleteObjects = false, dryRun = false } = options;
  const all = [
    ...chosenManifests({ namespace, kueue: true }),
    ...chosenManifests({ namespace, knative: true }).filter(({ apiVersion }) =>
      apiVersion.startsWith('serving.knative.dev/'),
    ),
    ...chosenManifests({ namespace, namespaced: true }).filter(({ kind }) =>
      ['Role', 'RoleBinding'].includes(kind),
    ),
  ].toReversed();
  const isKind = ({ kind }: Installed): boolean => kind === 'CustomResourceDefinition';
  // The namespace holds what somebody else has put there too.
  const removed = all.filter((each) => each.kind !== 'Namespace' && !isKind(each));
  const left = await objectsLeft(client);
  const objects = left.reduce((sum, { count }) => sum + count, 0);
  // Their finalizers are taken off by what is removed here.
  if (deleteObjects && objects > 0) {
    throw new CommandFailure(
      exitCodes.invalidInput,
      `${objects} objects of Millrace are left, and their finalizers stay once Millrace is gone`,
      `kubectl delete ${left.map(({ resource }) => resourceKey(resource)).join()} --all -A, and then again`,
    );
  }
  const going = [...removed, ...(deleteObjects ? all.filter(isKind) : [])];
  say(`${dryRun ? 'would remove' : 'removing'} ${going.length} objects`);
  if (!deleteObjects) say(`the kinds and ${objects} objects of theirs stay`);
  if (dryRun) return;
  await removeAll(
    client,
    going.map((object) => ({ resource: resourceOf(object), object })),
  );
}

/** One line for each object, by its name. */
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

/** One line each; returns those that are not good. */
function tellOf(checks: readonly Check[], say: Say): readonly Check[] {
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

async function untilGood(
  client: Pick<KubeClient, 'get' | 'list' | 'review'>,
  manifests: readonly Installed[],
  seconds: number,
  say: Say,
): Promise<void> {
  const startMs = Date.now();
  for (;;) {
    const bad = (await stateOf(client, manifests)).filter(({ isGood }) => !isGood);
    const passedSeconds = Math.round((Date.now() - startMs) / 1_000);
    if (bad.length === 0) {
      say(`ready after ${passedSeconds} s`);
      return;
    }
    if (passedSeconds >= seconds) {
      for (const check of bad) say(`FAIL ${wordsOf(check)}`);
      throw new CommandFailure(
        exitCodes.timeout,
        `${bad.length} of ${manifests.length} are not ready after ${seconds} s`,
        'millrace doctor --cluster',
      );
    }
    await sleep(betweenLooksMs);
  }
}

/** How many objects there are of each of our kinds that has any, in all namespaces. */
async function objectsLeft(
  client: Pick<KubeClient, 'list'>,
): Promise<readonly { readonly resource: Resource; readonly count: number }[]> {
  const left = [];
  for (const { resource } of kinds) {
    try {
      const { length: count } = (await client.list(resource, {})).items;
      if (count > 0) left.push({ resource, count });
    } catch (error) {
      if (!hasCode(error, 'MR_API_NOT_FOUND')) throw error;
    }
  }
  return left;
}
