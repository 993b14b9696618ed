/** `millrace get`: one object as a tree of its parts, or a line for each object. */
import { stringify } from 'yaml';
import { type KubeObject, objectName } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { findNamed } from '../find-named.ts';
import { kindNamed } from '../named-object.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { drawTree } from '../picture/draw-tree.ts';
import { listOfPictures } from '../picture/list-of-pictures.ts';
import { type PicturedKind, picturedKinds } from '../picture/pictured-kinds.ts';
import { appearanceOf } from '../terminal/appearance.ts';
import { renderLine } from '../terminal/line.ts';
import { columnsOf } from '../terminal/screen.ts';
import { listed } from '../why/surroundings.ts';
import type { GetOptions } from './get-options.ts';

/** An object with its kind, and with its Jobs where they are shown. */
interface Gotten {
  readonly kind: PicturedKind;
  readonly object: KubeObject;
}

/** Returns the exit code. Throws CommandFailure. */
export async function get(
  what: string | undefined,
  options: GetOptions,
  write: (text: string) => void,
): Promise<number> {
  if (options.watch === true) {
    if (what === undefined || options.output !== 'tree') {
      const message = '--watch needs a name, and takes no --output';
      throw new CommandFailure(exitCodes.usage, message, 'millrace watch NAME');
    }
    const { watch } = await import('./watch.ts');
    return watch(what, options);
  }
  await using cluster = await openCluster(options, 'get');
  const ofKind = what === undefined ? undefined : kindNamed(what);
  const isList = what === undefined || ofKind !== undefined;
  const kinds = picturedKinds.filter(
    ({ resource }) => ofKind === undefined || resource.kind === ofKind.kind,
  );
  if (ofKind !== undefined && kinds.length === 0) {
    const message = `${ofKind.kind}s have no parts to show`;
    throw new CommandFailure(exitCodes.usage, message, `${cluster.kubectl} get ${ofKind.plural}`);
  }
  const found = isList
    ? await listOf(kinds, options, cluster)
    : await findNamed(what, picturedKinds, cluster);
  if (options.output === 'json' || options.output === 'yaml') {
    write(manifestsOf(found, options.output, isList));
  } else if (options.output === 'name') {
    for (const { kind, object } of found) write(`${nameOf(kind, object)}\n`);
  } else if (isList) {
    const seen = found.map((each) => ({ ...each, picture: pictureOf(each, []) }));
    const lines = listOfPictures(seen, options.allNamespaces === true, options.output, Date.now());
    for (const line of lines)
      write(`${renderLine(line, appearanceOf(process.stdout, options, process.env))}\n`);
    if (lines.length === 0) process.stderr.write(`${nothingIn(options, cluster)}\n`);
  } else {
    for (const each of found) await showTree(each, options, cluster, write);
  }
  return 0;
}

async function listOf(
  kinds: readonly PicturedKind[],
  { allNamespaces = false }: GetOptions,
  cluster: OpenedCluster,
): Promise<readonly Gotten[]> {
  const namespace = allNamespaces ? undefined : cluster.namespace;
  const around = { client: cluster.client };
  const asked = kinds.map(async (kind) => {
    const objects = await listed(around, kind.resource, namespace);
    return objects.map((object) => ({ kind, object }));
  });
  return (await Promise.all(asked)).flat();
}

async function showTree(
  { kind, object }: Gotten,
  options: GetOptions,
  { client }: OpenedCluster,
  write: (text: string) => void,
): Promise<void> {
  const { namespace, name } = objectName(object.metadata);
  const { jobLabel } = kind;
  const jobs =
    jobLabel === undefined
      ? []
      : await listed({ client }, resources.Job, namespace, {
          labelSelector: `${jobLabel}=${name}`,
        });
  const appearance = appearanceOf(process.stdout, options, process.env);
  const isWide = options.output === 'wide' || !appearance.live;
  const columns = isWide ? Number.POSITIVE_INFINITY : columnsOf(process.stdout);
  const frame = { columns, rows: Number.POSITIVE_INFINITY, wide: options.output === 'wide' };
  const picture = pictureOf({ kind, object }, jobs);
  for (const line of drawTree(picture, Date.now(), appearance, frame)) write(`${line}\n`);
  const { reason = '', message = '' } = picture;
  if (reason !== '') write(`${renderLine([`${reason}: ${message}`], appearance, columns)}\n`);
}

function pictureOf({ kind, object }: Gotten, jobs: readonly KubeObject[]) {
  return kind.observer(object)(object, jobs, Date.now());
}

/** As `kubectl get -o` prints them. */
function manifestsOf(found: readonly Gotten[], output: 'json' | 'yaml', isList: boolean): string {
  const objects = found.map(({ object }) => object);
  const [first] = objects;
  const value =
    !isList && objects.length === 1 && first !== undefined
      ? first
      : { apiVersion: 'v1', kind: 'List', items: objects, metadata: {} };
  return output === 'json' ? `${JSON.stringify(value, null, 4)}\n` : stringify(value);
}

function nameOf({ resource: { kind, group } }: PicturedKind, { metadata }: KubeObject): string {
  return `${kind.toLowerCase()}.${group}/${metadata.name}`;
}

function nothingIn({ allNamespaces = false }: GetOptions, { namespace }: OpenedCluster): string {
  return allNamespaces
    ? 'there is nothing yet'
    : `there is nothing in the namespace ${namespace}; -A looks in all`;
}
