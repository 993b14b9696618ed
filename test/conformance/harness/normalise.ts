/**
 * Removes from a transcript everything that differs between two runs of the same server.
 *
 * normalise-1 Equal stamps stay equal: each UID and each generated name gets a number in the order
 *    of its first appearance.
 * normalise-2 Resource versions of objects keep their order: each becomes its rank among those
 *    seen. Lists and bookmarks only show whether they are at least as new as every object seen
 *    before.
 * normalise-3 Entries of managedFields are sorted by manager: the server sorts them by whole
 *    seconds first.
 * normalise-4 Causes of a refusal are sorted: the checks of custom resources go over maps in random
 *    order.
 * normalise-5 A time is only taken out when it is of this run: what a script wrote itself is
 *    compared.
 */
import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { Step, Transcript } from './transcript.ts';

type Visit = (value: Json, path: readonly string[]) => Json;

/** `scope` is the script's namespace; it becomes `ns`. */
export function normalise(steps: Transcript, scope: string): Transcript {
  const whole = rewrite(steps, (value) =>
    typeof value === 'string' ? value.replaceAll(scope, 'ns') : value,
  );
  const versions = new ObjectVersions(whole);
  const names = generatedNames(whole);
  const uids = new Map<string, string>();
  const ranked = versions.replace(whole);
  return rewrite(ranked, (value, path) => {
    if (typeof value === 'string') return plain(value, path, names, uids);
    if (Array.isArray(value) && path.at(-1) === 'managedFields') return byManager(value);
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, child]) => [
      plain(name, path, names, uids),
      child,
    ]);
    return withSortedCauses(Object.fromEntries(entries) as JsonObject);
  }) as unknown as readonly Step[];
}

function byManager(entries: readonly Json[]): Json {
  const key = (entry: Json) => {
    const { manager, operation, apiVersion, subresource } = entry as JsonObject;
    return JSON.stringify([manager, operation, apiVersion, subresource]);
  };
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function withSortedCauses(status: JsonObject): JsonObject {
  const { kind, message, details } = status;
  if (kind !== 'Status' || typeof message !== 'string' || !isObject(details)) return status;
  if (!Array.isArray(details['causes'])) return status;
  const causes = details['causes'] as readonly { field?: string; message: string }[];
  const text = ({ field, message: why }: (typeof causes)[number]) => `${field ?? ''}: ${why}`;
  const sorted = [...causes].sort((a, b) => (text(a) < text(b) ? -1 : 1));
  const all = (list: typeof causes) => `[${list.map(text).join(', ')}]`;
  const reordered = message.replace(all(causes), () => all(sorted));
  return {
    ...status,
    message: reordered,
    details: { ...details, causes: sorted as unknown as Json },
  };
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const startedMs = Date.now();
const age = /^(\d+[smhd])+$/;

function plain(
  text: string,
  path: readonly string[],
  names: ReadonlyMap<string, string>,
  uids: Map<string, string>,
): string {
  if (path.at(-1) === 'continue' && text !== '') return '<continue>';
  if (path.at(-1) === 'storageVersionHash') return '<hash>';
  let result = text;
  for (const [name, alias] of names) result = result.replaceAll(name, alias);
  return result
    .replace(uuid, (found) => {
      // Scripts invent uids that begin with zeros.
      if (found.startsWith('00000000')) return found;
      if (!uids.has(found)) uids.set(found, `<uid-${uids.size + 1}>`);
      return uids.get(found)!;
    })
    .replace(time, (found, fraction?: string) => {
      if (Date.parse(found) < startedMs - 120_000) return found;
      return fraction === undefined ? '<time>' : '<microtime>';
    })
    .replace(age, (found) => (path.includes('cells') ? '<age>' : found))
    .replace(/&continue=[^& ]+/, '&continue=<continue>')
    .replace(/(resourceVersion=)[1-9]\d*/i, '$1<version>')
    .replace(/(version in object meta: )\d+/i, '$1<version>')
    .replace(/(version in (?:the precondition|record) \()\d+/gi, '$1<version>')
    .replace(/(resourceVersion\\*":\\*")\d+/g, '$1<version>')
    .replace(/(resource version: \d+ \()\d+(\))/, '$1<version>$2')
    .replace(/(Too large resource version: \d+, current: )\d+/, '$1<version>');
}

class ObjectVersions {
  readonly #ranks: ReadonlyMap<string, number>;

  constructor(whole: Json) {
    const seen = new Set<string>();
    rewrite(
      whole,
      (value, path) => {
        if (isVersion(path) && typeof value === 'string') seen.add(value);
        return value;
      },
      (object) => !isCollection(object),
    );
    const sorted = [...seen].sort((a, b) => Number(a) - Number(b));
    this.#ranks = new Map(sorted.map((version, index) => [version, index + 1]));
  }

  replace(whole: Json): Json {
    let newest = 0;
    const versionOf = (object: JsonObject, version: string): string => {
      if (isCollection(object)) return Number(version) >= newest ? '<fresh>' : '<stale>';
      newest = Math.max(newest, Number(version));
      return `<version-${this.#ranks.get(version)}>`;
    };
    return versionsIn(whole, versionOf);
  }
}

function versionsIn(value: Json, versionOf: (object: JsonObject, version: string) => string): Json {
  if (Array.isArray(value)) return value.map((item: Json) => versionsIn(item, versionOf));
  if (!isObject(value)) return value;
  // The version of a list is numbered before those of its items, wherever it is in the JSON.
  const entries = Object.entries(value).map(([name, child]) => [
    name,
    name === 'metadata' && isObject(child) && typeof child['resourceVersion'] === 'string'
      ? { ...child, resourceVersion: versionOf(value, child['resourceVersion']) }
      : versionsIn(child!, versionOf),
  ]);
  return Object.fromEntries(entries) as Json;
}

function isVersion(path: readonly string[]): boolean {
  return path.at(-1) === 'resourceVersion' && path.at(-2) === 'metadata';
}

function isCollection(object: JsonObject): boolean {
  const kind = object['kind'];
  if (kind === 'Table' || Array.isArray(object['items'])) return true;
  // A bookmark is an object with only a version.
  const meta = object['metadata'];
  return isObject(meta) && meta['name'] === undefined;
}

/** Longer prefixes are truncated to this length (apiserver names.maxGeneratedNameLength). */
const longestBase = 58;

/** Full generated names and their replacements, longest first. */
function generatedNames(whole: Json): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  rewrite(whole, (value) => {
    if (!isObject(value)) return value;
    const { generateName, name } = value;
    if (typeof generateName !== 'string' || typeof name !== 'string') return value;
    const base = generateName.slice(0, longestBase);
    const generated = name.startsWith(base) && name.length === base.length + 5;
    if (generated && !found.has(name)) found.set(name, `${base}<random-${found.size + 1}>`);
    return value;
  });
  return new Map([...found].sort(([a], [b]) => b.length - a.length));
}

/**
 * Rebuilds a value from the leaves up, in the order of property names, so that numbers are assigned
 * alike.
 */
function rewrite(
  value: Json,
  visit: Visit,
  enter: (object: JsonObject) => boolean = () => true,
  path: readonly string[] = [],
): Json {
  if (Array.isArray(value)) {
    const items = value.map((item: Json, index) =>
      rewrite(item, visit, enter, [...path, String(index)]),
    );
    return visit(items, path);
  }
  if (!isObject(value)) return visit(value, path);
  const skipOwn = !enter(value);
  const sorted = Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, child]): [string, Json] => [
      name,
      skipOwn && name === 'metadata' ? child! : rewrite(child!, visit, enter, [...path, name]),
    ]);
  return visit(Object.fromEntries(sorted), path);
}
