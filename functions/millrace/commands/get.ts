/** `millrace get`: one object as a tree of its parts, or a line for each object. */
import { stringify } from 'yaml';
import { type Json, type KubeObject, type Resource } from '#shared/domain/objects.ts';
import { printable } from '#shared/domain/printable.ts';
import { resources } from '#shared/domain/resources.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { fullNameOf, shortNameOf } from '../full-name.ts';
import { findNamed, findOne, type Found } from '../find-named.ts';
import { JsonPathFault, type JsonPathTemplate, parseJsonPath } from '../json-path/json-path.ts';
import { loggedKinds } from '../logs/log-sources.ts';
import { kindNamed, namedObject } from '../named-object.ts';
import { listOf as listDocument } from '../object-printer.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { childKinds, partOf } from '../picture/children.ts';
import { drawTree, summaryRows } from '../picture/draw-tree.ts';
import { jobsOf } from '../picture/jobs-of.ts';
import { pictureOfPart, requirePartOf } from '../picture/of-part.ts';
import { type PicturedKind, picturedKinds } from '../picture/pictured-kinds.ts';
import { splitCommand } from '../picture/split-command.ts';
import { type Listed, tableOf } from '../picture/table.ts';
import { progressOf } from '../picture/words.ts';
import { appearanceOf } from '../terminal/appearance.ts';
import { renderLine } from '../terminal/line.ts';
import { columnsOf } from '../terminal/screen.ts';
import { listed } from '../why/surroundings.ts';
import type { GetOptions } from './get-options.ts';

type Write = (text: string) => void;

/** An object and what its line says of it. */
interface Gotten extends Pick<Listed, 'state' | 'detail' | 'reason' | 'message'> {
  readonly resource: Resource;
  readonly object: KubeObject;
}

/** `words`: names, a kind and names of it, or a kind alone. Returns the exit code. Throws CommandFailure. */
export async function get(
  words: readonly string[],
  options: GetOptions,
  write: Write,
): Promise<number> {
  const { output } = options;
  const [first] = words;
  const kind = first === undefined || words.length > 1 ? undefined : kindNamed(first);
  const names = kind === undefined ? namesIn(words) : [];
  const isList = names.length === 0;
  refuseUnfit(names, options);
  if (options.watch === true) {
    const { watch } = await import('./watch.ts');
    return watch(names[0] ?? '', options);
  }
  const template = templateOf(output);
  const asTree = output === 'tree' || output === 'wide';
  if (!asTree) for (const name of names) requireWholeObject(name, output);
  await using cluster = await openCluster(options, 'get');
  const named = await Promise.all(names.map((name) => findNamed(name, picturedKinds, cluster)));
  if (!isList && asTree) {
    for (const each of named.flat()) await showTree(each, options, cluster, write);
    return 0;
  }
  const found = isList
    ? await listOf(kind, options, cluster)
    : named.flat().map(({ kind: { resource }, object }) => ({
        ...{ resource, object, state: '', detail: '' },
      }));
  if (template !== undefined) write(template(manifestOf(found, isList)));
  else if (output === 'json') write(`${JSON.stringify(manifestOf(found, isList), null, 4)}\n`);
  else if (output === 'yaml') write(stringify(manifestOf(found, isList)));
  else if (output === 'name') {
    for (const each of found) write(`${fullNameOf(each.resource, each.object)}\n`);
  } else showList(found, options, cluster, write);
  return 0;
}

/** With the kind in front where the first word is one: `jobflow a b` is `jobflow/a jobflow/b`. */
function namesIn(words: readonly string[]): readonly string[] {
  const [kind = '', ...names] = words;
  if (kindNamed(kind) === undefined) return words;
  return names.map((name) => (namedObject(name).resource === undefined ? `${kind}/${name}` : name));
}

/** Throws CommandFailure where options do not go with each other. */
function refuseUnfit(names: readonly string[], options: GetOptions): void {
  const { watch, output, allNamespaces, selector, status } = options;
  const chosen = allNamespaces ?? selector ?? status ?? options.for;
  if (watch === true && (names.length !== 1 || output !== 'tree' || chosen !== undefined)) {
    const message = '--watch needs one name, and takes no --output and no choice';
    throw new CommandFailure(exitCodes.usage, message, 'millrace watch NAME');
  }
  if (names.length > 0 && chosen !== undefined) {
    const message =
      '--all-namespaces, --selector, --status and --for choose from a list: name a kind, or nothing';
    throw new CommandFailure(exitCodes.usage, message, 'millrace get --status Failed');
  }
}

/** Throws CommandFailure: a part is not an object of the API. */
function requireWholeObject(what: string, output: string): void {
  if (namedObject(what).part === undefined) return;
  const message = `-o ${output} prints whole objects, and ${what} names a part of one`;
  const next = `millrace get jobs --for ${what} -o ${output.replace(/=.*/s, '=TEMPLATE')}`;
  throw new CommandFailure(exitCodes.usage, message, next);
}

/** Throws CommandFailure where it cannot be read. */
function templateOf(output: GetOptions['output']): JsonPathTemplate | undefined {
  if (!output.startsWith('jsonpath=')) return undefined;
  try {
    return parseJsonPath(output.slice('jsonpath='.length));
  } catch (error) {
    if (!(error instanceof JsonPathFault)) throw error;
    const next = "millrace get NAME -o 'jsonpath={.status.state}'";
    throw new CommandFailure(exitCodes.usage, `the template: ${error.message}`, next);
  }
}

async function listOf(
  kind: Resource | undefined,
  options: GetOptions,
  cluster: OpenedCluster,
): Promise<readonly Gotten[]> {
  const all = await (options.for === undefined
    ? objectsOf(kind, options, cluster)
    : childrenOf(options.for, kind, options, cluster));
  const wanted = options.status?.map((state) => state.toLowerCase());
  const found = all.filter(({ state }) => wanted?.includes(state.toLowerCase()) ?? true);
  if (found.length === 0 && all.length > 0) {
    const states = [...new Set(all.map(({ state }) => state))].sort().join(', ');
    process.stderr.write(
      `none of ${all.length} is ${options.status?.join(' or ')}; there are: ${states}\n`,
    );
  }
  return found;
}

async function objectsOf(
  wanted: Resource | undefined,
  { allNamespaces = false, selector }: GetOptions,
  cluster: OpenedCluster,
): Promise<readonly Gotten[]> {
  const kinds = kindsFor(wanted, picturedKinds, (plural) =>
    plural === resources.Job.plural || plural === resources.Pod.plural
      ? `millrace get ${plural} --for NAME`
      : `${cluster.kubectl} get ${plural}`,
  );
  const namespace = allNamespaces ? undefined : cluster.namespace;
  const asked = kinds.map(async (kind) => {
    const objects = await listed(cluster, kind.resource, namespace, selectorOf(selector));
    return objects.map((object): Gotten => {
      const picture = pictureOf(kind, object, []);
      const detail = progressOf(picture).replaceAll(' of ', '/');
      return { resource: kind.resource, object, ...picture, detail };
    });
  });
  return (await Promise.all(asked)).flat();
}

/** The Jobs and Pods of an object, or those of one of both kinds. */
async function childrenOf(
  what: string,
  wanted: Resource | undefined,
  { selector }: GetOptions,
  cluster: OpenedCluster,
): Promise<readonly Gotten[]> {
  const kinds = kindsFor(wanted, childKinds, () => `millrace get jobs --for ${what}`);
  const { kind: parent, object, named } = await findOne(what, loggedKinds, cluster);
  const labelSelector = [parent.selector(object), ...(selector === undefined ? [] : [selector])];
  const asked = kinds.map(async ({ resource, stateOf }) => {
    const children = await listed(cluster, resource, object.metadata.namespace, {
      labelSelector: labelSelector.join(','),
    });
    return children.map((child): Gotten => {
      return { resource, object: child, ...stateOf(child), detail: partOf(parent, child) };
    });
  });
  const found = (await Promise.all(asked)).flat();
  return named.part === undefined ? found : found.filter(({ detail }) => detail === named.part);
}

/** All, or the one that is wanted. Throws CommandFailure where it is none of these. */
function kindsFor<Kind extends { readonly resource: Resource }>(
  wanted: Resource | undefined,
  kinds: readonly Kind[],
  next: (plural: string) => string,
): readonly Kind[] {
  if (wanted === undefined) return kinds;
  const chosen = kinds.filter(({ resource }) => resource.kind === wanted.kind);
  if (chosen.length > 0) return chosen;
  const known = kinds.map(({ resource }) => resource.plural).join(', ');
  const message = `${wanted.plural} are none of what is listed here: ${known}`;
  throw new CommandFailure(exitCodes.usage, message, next(wanted.plural));
}

function selectorOf(labelSelector: string | undefined): { readonly labelSelector?: string } {
  return labelSelector === undefined ? {} : { labelSelector };
}

function showList(
  found: readonly Gotten[],
  options: GetOptions,
  cluster: OpenedCluster,
  write: Write,
): void {
  const lines = tableOf(
    found.map((each) => ({
      ...each,
      metadata: each.object.metadata,
      called: shortNameOf(each.resource, each.object),
    })),
    {
      detail: options.for === undefined ? 'PROGRESS' : 'PART',
      withNamespace: options.allNamespaces === true,
      wide: options.output === 'wide',
    },
    Date.now(),
  );
  const appearance = appearanceOf(process.stdout, options, process.env);
  for (const line of lines) write(`${renderLine(line, appearance)}\n`);
  if (lines.length === 0 && options.status === undefined) {
    process.stderr.write(`${nothingIn(options, cluster)}\n`);
  }
}

async function showTree(
  { kind, object, named: { part } }: Found<PicturedKind>,
  options: GetOptions,
  cluster: OpenedCluster,
  write: Write,
): Promise<void> {
  const jobs = await jobsOf(kind, object, cluster);
  const appearance = appearanceOf(process.stdout, options, process.env);
  const isWide = options.output === 'wide' || !appearance.live;
  const columns = isWide ? Number.POSITIVE_INFINITY : columnsOf(process.stdout);
  const wide = options.output === 'wide';
  const rows = wide ? Number.POSITIVE_INFINITY : summaryRows;
  const frame = { columns, rows, wide, events: wide, wholeCommands: true };
  const whole = pictureOf(kind, object, jobs);
  if (part !== undefined) requirePartOf(whole, kind.resource.kind, part);
  const picture = part === undefined ? whole : pictureOfPart(whole, part);
  const lines = drawTree(picture, Date.now(), appearance, frame);
  for (const line of lines) write(`${line}\n`);
  const { reason = '', message = '' } = picture;
  if (reason === '' || part !== undefined) return;
  const text = `${reason}: ${message}`;
  const { words, command } = splitCommand(text);
  const isCut = command !== undefined && text.length > columns;
  write(`${renderLine([isCut ? words : text], appearance, columns)}\n`);
  // The step that failed names the same one.
  const isKnown = lines.some((line) => line.endsWith(command ?? ''));
  if (isCut && !isKnown) write(`  ${printable(command)}\n`);
}

function pictureOf({ observer }: PicturedKind, object: KubeObject, jobs: readonly KubeObject[]) {
  return observer(object)(object, jobs, Date.now());
}

/** As `kubectl get -o` prints them. */
function manifestOf(found: readonly Gotten[], isList: boolean): Json {
  const objects = found.map(({ object }) => object);
  const [first] = objects;
  return !isList && objects.length === 1 && first !== undefined
    ? (first as unknown as Json)
    : listDocument(objects);
}

function nothingIn(options: GetOptions, { namespace }: OpenedCluster): string {
  if (options.for !== undefined) return `${options.for} has no Job and no Pod`;
  const chosen = options.selector === undefined ? '' : ` with ${options.selector}`;
  return options.allNamespaces === true
    ? `there is nothing yet${chosen}`
    : `there is nothing${chosen} in the namespace ${namespace}; -A looks in all`;
}
