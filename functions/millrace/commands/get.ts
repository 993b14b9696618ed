/** `millrace get`: one object as a tree of its parts, or several objects, a line each. */
import { stringify } from 'yaml';
import type { Json, Resource } from '#shared/domain/objects.ts';
import { printable } from '#shared/domain/printable.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { fullNameOf, shortNameOf } from '../full-name.ts';
import { findNamed, type Found } from '../find-named.ts';
import { JsonPathFault, type JsonPathTemplate, parseJsonPath } from '../json-path/json-path.ts';
import { kindsNamed, namedObject } from '../named-object.ts';
import { listOf as listDocument } from '../object-printer.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { drawTree, summaryRows } from '../picture/draw-tree.ts';
import { jobsOf } from '../picture/jobs-of.ts';
import {
  columnsFor,
  hasStatus,
  type ListedKind,
  listingsOf,
  pictureOf,
  rowsOf,
} from '../picture/listings.ts';
import { pictureOfPart, requirePartOf } from '../picture/of-part.ts';
import { kindsFor, namesIn, picturedAs } from '../picture/named-in-list.ts';
import type { PicturedKind } from '../picture/pictured-kinds.ts';
import { splitCommand } from '../picture/split-command.ts';
import { type Listed, Table } from '../picture/table.ts';
import { appearanceOf } from '../terminal/appearance.ts';
import { renderLine } from '../terminal/line.ts';
import { columnsOf } from '../terminal/screen.ts';
import type { GetOptions } from './get-options.ts';

type Write = (text: string) => void;

/** `words`: names, a kind and its names, or a kind alone. Returns the exit code. Throws CommandFailure. */
export async function get(
  words: readonly string[],
  options: GetOptions,
  write: Write,
): Promise<number> {
  const { output } = options;
  const [first] = words;
  const kinds = first === undefined ? [] : words.length > 1 ? undefined : kindsNamed(first);
  const names = kinds === undefined ? namesIn(words) : [];
  const isList = names.length === 0;
  refuseUnfit(names, options);
  const [watched] = options.watch === true ? names : [];
  if (watched !== undefined) {
    const { watch } = await import('./watch.ts');
    return watch(watched, options);
  }
  const template = templateOf(output);
  const asTree = output === 'tree' || output === 'wide';
  if (!asTree) for (const name of names) requireWholeObject(name, output);
  await using cluster = await openCluster(options, 'get');
  if (options.watch === true) {
    const { watchList } = await import('./watch-list.ts');
    return await watchList(kinds ?? [], options, cluster, write);
  }
  const named = await Promise.all(names.map((name) => findNamed(name, kindsFor(name), cluster)));
  if (!isList && asTree) {
    await showObjects(named.flat(), options, cluster, write);
    return 0;
  }
  const found = isList
    ? await listOf(kinds ?? [], options, cluster)
    : named.flat().map(({ kind, object }) => kind.rowOf(object));
  if (template !== undefined) write(template(manifestOf(found, isList)));
  else if (output === 'json') write(`${JSON.stringify(manifestOf(found, isList), null, 4)}\n`);
  else if (output === 'yaml') write(stringify(manifestOf(found, isList)));
  else if (output === 'name') {
    for (const each of found) write(`${fullNameOf(each.resource, each.object)}\n`);
  } else if (found.length > 0) showTable(found, options, cluster, write);
  else if (options.status === undefined) {
    process.stderr.write(`${nothingIn(kinds ?? [], options, cluster)}\n`);
  }
  return 0;
}

/** Throws CommandFailure if options contradict each other. */
function refuseUnfit(names: readonly string[], options: GetOptions): void {
  const { watch, output, allNamespaces, selector, status } = options;
  const chosen = allNamespaces ?? selector ?? status ?? options.for;
  const isWatchable = output === 'tree' || (output === 'wide' && names.length === 0);
  if (watch === true && (names.length > 1 || !isWatchable)) {
    const message = '--watch shows one object or a list, a list also with -o wide';
    throw new CommandFailure(exitCodes.usage, message, 'millrace get --watch');
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

/** Throws CommandFailure if the template is invalid. */
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
  kinds: readonly Resource[],
  options: GetOptions,
  cluster: OpenedCluster,
): Promise<readonly Listed[]> {
  const listings = await listingsOf(kinds, options, cluster);
  const all = (await Promise.all(listings.map((each) => rowsOf(each, cluster)))).flat();
  const found = all.filter(hasStatus(options.status));
  if (found.length === 0 && all.length > 0) {
    const states = [...new Set(all.map(({ state }) => state))].sort().join(', ');
    process.stderr.write(
      `none of ${all.length} is ${options.status?.join(' or ')}; there are: ${states}\n`,
    );
  }
  return found;
}

function showTable(
  found: readonly Listed[],
  options: GetOptions,
  { nowMs }: OpenedCluster,
  write: Write,
): void {
  const appearance = appearanceOf(process.stdout, options, process.env);
  for (const line of new Table(columnsFor(options)).linesOf(found, nowMs())) {
    write(`${renderLine(line, appearance)}\n`);
  }
}

/** Trees, below the kind if there are several objects, and lines of what has no parts. */
async function showObjects(
  found: readonly Found<ListedKind>[],
  options: GetOptions,
  cluster: OpenedCluster,
  write: Write,
): Promise<void> {
  const trees = found.flatMap(({ kind, ...rest }) => {
    const pictured = picturedAs(kind.resource);
    return pictured === undefined ? [] : [{ kind: pictured, ...rest }];
  });
  for (const [index, each] of trees.entries()) {
    const gap = index === 0 ? '' : '\n';
    if (found.length > 1) write(`${gap}${shortNameOf(each.kind.resource, each.object)}\n`);
    await showTree(each, options, cluster, write);
  }
  const lines = found.filter(({ kind }) => picturedAs(kind.resource) === undefined);
  if (lines.length > 0 && trees.length > 0) write('\n');
  showTable(
    lines.map(({ kind, object }) => kind.rowOf(object)),
    options,
    cluster,
    write,
  );
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
  const lines = drawTree(picture, cluster.nowMs(), appearance, frame);
  for (const line of lines) write(`${line}\n`);
  const { reason = '', message = '' } = picture;
  if (reason === '' || part !== undefined) return;
  const text = `${reason}: ${message}`;
  const { words, command } = splitCommand(text);
  const isCut = command !== undefined && text.length > columns;
  write(`${renderLine([isCut ? words : text], appearance, columns)}\n`);
  // The line of the failed step may show the same command.
  const isKnown = lines.some((line) => line.endsWith(command ?? ''));
  if (isCut && !isKnown) write(`  ${printable(command)}\n`);
}

/** In the format of `kubectl get -o`. */
function manifestOf(found: readonly Listed[], isList: boolean): Json {
  const objects = found.map(({ object }) => object);
  const [first] = objects;
  return !isList && objects.length === 1 && first !== undefined
    ? (first as unknown as Json)
    : listDocument(objects);
}

function nothingIn(
  kinds: readonly Resource[],
  options: GetOptions,
  { namespace }: OpenedCluster,
): string {
  if (options.for !== undefined) return `${options.for} has no Job and no Pod`;
  const chosen = options.selector === undefined ? '' : ` with ${options.selector}`;
  const isPlaced = kinds.length === 0 || kinds.some(({ namespaced }) => namespaced);
  return options.allNamespaces === true || !isPlaced
    ? `there is nothing yet${chosen}`
    : `there is nothing${chosen} in the namespace ${namespace}; -A looks in all`;
}
