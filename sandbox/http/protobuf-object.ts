/**
 * Bodies in `application/vnd.kubernetes.protobuf`, which typed client-go clients send for built-in
 * kinds (`kubectl create job`, informer-based controllers). Answers are JSON, which these clients
 * accept too. The envelope is `k8s\0` and a runtime.Unknown (k8s.io/apimachinery
 * runtime/serializer/protobuf).
 */
import { groupVersionOf, type Json, type JsonObject } from '#shared/domain/objects.ts';
import {
  builtinDefinitionName,
  builtinDefinitions,
  type SchemaDefinition,
} from '../registry/builtin-schemas.ts';
import { MalformedProtobuf, wireFields } from './protobuf-reader.ts';

type MutableObject = Record<string, Json | undefined>;

const magic = Buffer.from('k8s\0');
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Throws MalformedProtobuf, also for a kind with unknown fields. */
export function objectFromProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, magic.length).equals(magic)) {
    throw new MalformedProtobuf('the body does not begin as a Kubernetes object');
  }
  const { apiVersion, kind, raw } = envelope(body.subarray(magic.length));
  const { group, version } = groupVersionOf(apiVersion);
  const name =
    kind === 'DeleteOptions'
      ? `${meta}.DeleteOptions`
      : builtinDefinitionName(group, version, kind);
  if (name === undefined || builtinDefinitions.protobuf[name] === undefined) {
    throw new MalformedProtobuf(`${kind} in ${apiVersion} is not read as protobuf`);
  }
  return { kind, apiVersion, ...(messageOf(name, raw) as JsonObject) };
}

function envelope(bytes: Uint8Array): { apiVersion: string; kind: string; raw: Uint8Array } {
  const found = { apiVersion: '', kind: '', raw: new Uint8Array() };
  for (const { number, value } of wireFields(bytes)) {
    if (typeof value === 'bigint') continue;
    if (number === 2) found.raw = Uint8Array.from(value);
    if (number !== 1) continue;
    for (const part of wireFields(value)) {
      if (typeof part.value === 'bigint') continue;
      if (part.number === 1) found.apiVersion = text(part.value);
      if (part.number === 2) found.kind = text(part.value);
    }
  }
  return found;
}

/** Types whose form in JSON differs from that on the wire. */
const special: Readonly<Record<string, (bytes: Uint8Array) => Json | undefined>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': (bytes) => textField(bytes, 1),
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': intOrString,
  [`${meta}.Time`]: (bytes) => time(bytes, 0),
  [`${meta}.MicroTime`]: (bytes) => time(bytes, 6),
  [`${meta}.FieldsV1`]: jsonField,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': jsonField,
};

/** Undefined for a value that means absence, such as the zero time. */
function messageOf(name: string, bytes: Uint8Array): Json | undefined {
  const convert = special[name];
  if (convert !== undefined) return convert(bytes);
  const object: MutableObject = {};
  readInto(object, name, builtinDefinitions.definitions[name] ?? {}, bytes);
  return object;
}

/** `definition` has the schemas of the fields, also if `name` is a type that is inlined into it. */
function readInto(
  object: MutableObject,
  name: string,
  definition: SchemaDefinition,
  bytes: Uint8Array,
): void {
  const fields = builtinDefinitions.protobuf[name] ?? {};
  const properties = (definition['properties'] ?? {}) as Readonly<Record<string, SchemaDefinition>>;
  for (const { number, value } of wireFields(bytes)) {
    const field = fields[number];
    // A field of a newer version is skipped. In JSON it would be pruned.
    if (field === undefined) continue;
    if (field.startsWith('&')) {
      if (typeof value !== 'bigint') readInto(object, field.slice(1), definition, value);
      continue;
    }
    const isPointer = field.endsWith('!');
    const property = isPointer ? field.slice(0, -1) : field;
    const schema = properties[property];
    if (schema !== undefined) add(object, property, schema, value, isPointer);
  }
}

function add(
  object: MutableObject,
  property: string,
  schema: SchemaDefinition,
  value: bigint | Uint8Array,
  isPointer: boolean,
): void {
  const items = schema['items'] as SchemaDefinition | undefined;
  const values = schema['additionalProperties'] as SchemaDefinition | undefined;
  if (items !== undefined) {
    const list = (object[property] ?? []) as Json[];
    list.push(valueOf(items, value) ?? null);
    object[property] = list;
  } else if (values !== undefined && typeof value !== 'bigint') {
    const map = (object[property] ?? {}) as MutableObject;
    addEntry(map, values, value);
    object[property] = map;
  } else {
    const read = valueOf(schema, value);
    if (read !== undefined && (isPointer || !isZero(read))) object[property] = read;
  }
}

function addEntry(map: MutableObject, schema: SchemaDefinition, bytes: Uint8Array): void {
  let key = '';
  let entry: Json | undefined = schema['type'] === 'string' ? '' : {};
  for (const { number, value } of wireFields(bytes)) {
    if (number === 1 && typeof value !== 'bigint') key = text(value);
    if (number === 2) entry = valueOf(schema, value);
  }
  map[key] = entry;
}

function valueOf(schema: SchemaDefinition, value: bigint | Uint8Array): Json | undefined {
  const reference = referenceOf(schema);
  if (typeof value !== 'bigint') {
    if (reference !== undefined) return messageOf(reference, value);
    if (schema['format'] === 'byte') return Buffer.from(value).toString('base64');
    // A list within a map (a message with one repeated field).
    if (schema['type'] === 'array') return textFields(value);
    return text(value);
  }
  if (schema['type'] === 'boolean') return value !== 0n;
  return Number(BigInt.asIntN(64, value));
}

function referenceOf({ $ref, allOf }: SchemaDefinition): string | undefined {
  const only = Array.isArray(allOf) ? (allOf as readonly JsonObject[])[0]?.['$ref'] : $ref;
  return typeof only === 'string' ? only : undefined;
}

function isZero(value: Json): boolean {
  if (value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

function textField(bytes: Uint8Array, wanted: number): string {
  for (const { number, value } of wireFields(bytes)) {
    if (number === wanted && typeof value !== 'bigint') return text(value);
  }
  return '';
}

function textFields(bytes: Uint8Array): string[] {
  return [...wireFields(bytes)].flatMap(({ number, value }) =>
    number === 1 && typeof value !== 'bigint' ? [text(value)] : [],
  );
}

function intOrString(bytes: Uint8Array): Json {
  let isText = false;
  let integer = 0;
  for (const { number, value } of wireFields(bytes)) {
    if (typeof value !== 'bigint') continue;
    if (number === 1) isText = value === 1n;
    if (number === 2) integer = Number(BigInt.asIntN(64, value));
  }
  return isText ? textField(bytes, 3) : integer;
}

/** `digits`: number of digits after the second. */
function time(bytes: Uint8Array, digits: 0 | 6): string | undefined {
  let seconds = 0n;
  let nanos = 0n;
  let isEmpty = true;
  for (const { number, value } of wireFields(bytes)) {
    if (typeof value !== 'bigint') continue;
    isEmpty = false;
    if (number === 1) seconds = BigInt.asIntN(64, value);
    if (number === 2) nanos = BigInt.asIntN(32, value);
  }
  if (isEmpty) return undefined;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const fraction = String(nanos / 1000n).padStart(6, '0');
  return digits === 0 ? `${whole}Z` : `${whole}.${fraction}Z`;
}

function jsonField(bytes: Uint8Array): Json | undefined {
  const json = textField(bytes, 1);
  return json === '' ? undefined : (JSON.parse(json) as Json);
}
