/**
 * The form in which objects may be stored: without the values of environment variables, Secrets, ConfigMaps and unread
 * annotations.
 *
 * redact-1 A variable keeps its `name` and its source (`valueFrom`); all else in its entry counts as its value.
 *    Anything called env that is not a list of variables loses all its values.
 * redact-2 The configuration that `kubectl apply` keeps in an annotation is the whole object as text.
 * redact-3 A Secret or ConfigMap (an AppWrapper may wrap one) keeps its keys. Only texts are taken away, because other
 *    kinds may use these names for something else.
 * redact-4 An annotation keeps its value if its key belongs to Kubernetes, Kueue, AppWrappers or Millrace. Others keep
 *    only the key. Decisions pass these on and never read them.
 * redact-5 Redacting again changes nothing. A part without such values stays the same object.
 */
import { isList, isObject } from './json-value.ts';
import type { Json, JsonObject } from './objects.ts';

export const redacted = '[redacted]';

/** core/v1 EnvVarSource: the kinds of references and their fields. */
const references: Readonly<Record<string, readonly string[]>> = {
  fieldRef: ['apiVersion', 'fieldPath'],
  resourceFieldRef: ['containerName', 'resource', 'divisor'],
  configMapKeyRef: ['name', 'key', 'optional'],
  secretKeyRef: ['name', 'key', 'optional'],
  fileKeyRef: ['volumeName', 'path', 'key', 'optional'],
};

/** core/v1 EnvFromSource, without its prefix. */
const sources: Readonly<Record<string, readonly string[]>> = {
  configMapRef: ['name', 'optional'],
  secretRef: ['name', 'optional'],
};

/** Decisions read the annotations of these domains. */
const readDomains =
  /^(?:[a-z0-9.-]+\.)?(?:millrace\.dev|(?:x-)?k8s\.io|kubernetes\.io|codeflare\.dev(?:\.appwrapper)?)\//;

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

type Redact = (value: Json) => Json;

const redactions: ReadonlyMap<string, Redact> = new Map<string, Redact>([
  ['env', (value) => redactEnvironment(value, redactVariable)],
  ['envFrom', (value) => redactEnvironment(value, redactSource)],
  // A name that other tools use. A Pod has no such field, but it stays in objects that are not validated.
  ['environment', (value) => redactEnvironment(value, redactVariable)],
  [lastApplied, () => redacted],
  ['data', redactData],
  ['stringData', redactData],
  ['binaryData', redactData],
  ['annotations', redactAnnotations],
]);

/** Returns the value without any values of environment variables, at every depth. */
export function redactEnv<Value>(value: Value): Value {
  return redactMember('', value as Json) as Value;
}

/** The same for a value with this name in its object ('' for a list item). */
export function redactMember(name: string, value: Json): Json {
  const redact = redactions.get(name);
  if (redact !== undefined) return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? redactItems(value) : redactMembers(value);
}

/** Whether the value under this name has redaction rules of its own. */
export function isRedactedAsWhole(name: string): boolean {
  return redactions.has(name);
}

/** Every text and number that redaction takes out of this value, once. */
export function redactedTexts(value: Json | undefined): ReadonlySet<string> {
  const texts = new Set<string>();
  collectTexts('', value, texts);
  return texts;
}

function collectTexts(name: string, value: Json | undefined, into: Set<string>): void {
  // Annotations also hold names of releases and applications, which are not secret in a message.
  const redact = name === 'annotations' ? undefined : redactions.get(name);
  if (redact !== undefined && value !== undefined) {
    const kept = textsIn(redact(value));
    for (const text of textsIn(value)) if (!kept.has(text)) into.add(text);
  } else if (isList(value ?? null)) {
    for (const item of value as readonly Json[]) collectTexts('', item, into);
  } else if (isObject(value ?? null)) {
    for (const [member, of] of Object.entries(value as JsonObject)) collectTexts(member, of, into);
  }
}

function textsIn(value: Json | undefined, into = new Set<string>()): Set<string> {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value) as readonly Json[]) textsIn(member, into);
  } else if (typeof value === 'string' || typeof value === 'number') {
    into.add(String(value));
  }
  return into;
}

function redactData(value: Json): Json {
  if (value === null || typeof value === 'boolean') return value;
  if (!isObject(value)) return isList(value) ? redactItems(value) : redacted;
  return mapChanged(value, (name, member) =>
    typeof member === 'string' ? redacted : redactMember(name, member),
  );
}

function redactAnnotations(value: Json): Json {
  if (!isObject(value)) return redactMember('', value);
  return mapChanged(value, (key, member) => {
    if (member === null) return null;
    return key !== lastApplied && readDomains.test(key) ? member : redacted;
  });
}

function redactItems(items: readonly Json[]): readonly Json[] {
  let copy: Json[] | undefined;
  for (const [index, item] of items.entries()) {
    const kept = redactMember('', item);
    if (kept === item) continue;
    copy ??= [...items];
    copy[index] = kept;
  }
  return copy ?? items;
}

function redactMembers(object: JsonObject): JsonObject {
  return mapChanged(object, redactMember);
}

/** Returns the same object if no member changes. */
function mapChanged(object: JsonObject, map: (name: string, member: Json) => Json): JsonObject {
  let changed: Map<string, Json> | undefined;
  for (const name of Object.keys(object)) {
    const member = object[name];
    if (member === undefined) continue;
    const kept = map(name, member);
    if (kept === member) continue;
    changed ??= new Map();
    changed.set(name, kept);
  }
  if (changed === undefined) return object;
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [name, changed.get(name) ?? member]),
  );
}

function redactEnvironment(value: Json, redactEntry: (entry: JsonObject) => JsonObject): Json {
  if (value === null) return null;
  if (isList(value)) return value.map((entry) => (isObject(entry) ? redactEntry(entry) : redacted));
  if (!isObject(value)) return redacted;
  return Object.fromEntries(Object.keys(value).map((name) => [name, redacted]));
}

function redactVariable({ name, valueFrom, ...rest }: JsonObject): JsonObject {
  const hasValue = Object.values(rest).some((member) => member !== undefined);
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(hasValue ? { value: redacted } : {}),
    ...(valueFrom === undefined ? {} : { valueFrom: redactReference(valueFrom, references) }),
  };
}

function redactSource(source: JsonObject): JsonObject {
  const { prefix } = source;
  const reference = redactReference(source, sources);
  return { ...(typeof prefix === 'string' ? { prefix } : {}), ...(reference as JsonObject) };
}

/** Keeps only the known fields of a reference, and only if their values are not containers. */
function redactReference(value: Json, known: typeof references): Json {
  if (!isObject(value)) return redacted;
  const kept = Object.entries(known).flatMap(([kind, fields]) => {
    const reference = Object.hasOwn(value, kind) ? value[kind] : undefined;
    return isObject(reference ?? null) ? [[kind, picked(reference as JsonObject, fields)]] : [];
  });
  return Object.fromEntries(kept) as JsonObject;
}

function picked(reference: JsonObject, fields: readonly string[]): JsonObject {
  const kept = fields.flatMap((field) => {
    const value = Object.hasOwn(reference, field) ? reference[field] : undefined;
    return typeof value === 'string' || typeof value === 'boolean' ? [[field, value]] : [];
  });
  return Object.fromEntries(kept) as JsonObject;
}
