/**
 * Decodes a body into an object of the type as the API server does, with its texts. Unknown fields
 * are dropped with a warning (KEP-2885). A wrong type is refused.
 */
import { groupVersionOf, type Json, type JsonObject } from '#shared/domain/objects.ts';
import { apiVersionOf } from '#shared/domain/objects.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import type { CallOptions, Warn } from './api-call.ts';
import { cleanObject, nullsOf } from './clean-json.ts';
import { decodedMeta } from './decode-metadata.ts';
import { documentOrder } from './document-order.ts';
import { fromJson, type Draft } from './draft.ts';
import { withoutEmpty } from './omit-empty.ts';
import { scalarFault } from './scalar-formats.ts';
import { badRequest, StatusError } from '../apimachinery/status-error.ts';
import { schemaOf } from './world.ts';

export interface Decoding {
  readonly type: ResourceType;
  readonly fieldValidation: CallOptions['fieldValidation'];
  readonly warn: Warn | undefined;
  /** Parts that are the same as in `live` have been decoded before. */
  readonly live?: Draft | undefined;
  /** The object is the result of a patch of `live`. Faults are reported as those of the patch. */
  readonly isPatched?: boolean;
}

/** Throws StatusError 400, or 422 for a patched object. */
export function decodeObject(body: Json | undefined, decoding: Decoding): Draft {
  const { type } = decoding;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw refusal(decoding, body, "couldn't get version/kind; json parse error: not an object");
  }
  const typed = withKind(cleanObject(body as JsonObject, nullsOf(type)), decoding);
  const dropped: string[] = [];
  const object = pruned(typed, decoding, dropped);
  const meta = decodedMeta(object['metadata'], (why) => refusal(decoding, typed, why), dropped);
  tellDropped(dropped, typed, decoding);
  if (type.isBuiltIn) checkTypes(object, decoding);
  const own = meta as unknown as JsonObject;
  const draft = object['metadata'] === own ? object : { ...object, metadata: own };
  if (!type.isBuiltIn || type.schema === undefined) return fromJson(draft);
  return fromJson(withoutEmpty(draft, type.schema));
}

function withKind(object: JsonObject, decoding: Decoding): JsonObject {
  const { type } = decoding;
  const wanted = apiVersionOf(type);
  const { kind, apiVersion } = object;
  if (kind === type.kind && apiVersion === wanted) return object;
  if (type.isBuiltIn) {
    const named = typeof kind === 'string' && kind !== '' ? kind : type.kind;
    const version = typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : wanted;
    if (named === type.kind && version === wanted)
      return { ...object, apiVersion: wanted, kind: named };
    const why =
      version === wanted
        ? `converting (${goType(type, named)}) to (${internalType(type)}): unknown conversion`
        : `no kind ${JSON.stringify(named)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:111"`;
    const what = `${named} in version ${JSON.stringify(groupVersionOf(version).version)}`;
    throw refusal(decoding, object, why, what);
  }
  const text = JSON.stringify(object);
  const mustBe = `the object provided is unrecognized (must be of type ${type.kind})`;
  if (kind === undefined || kind === '') {
    throw badRequest(`${mustBe}: Object 'Kind' is missing in '${text}' (${text})`);
  }
  if (apiVersion === undefined || apiVersion === '') {
    throw badRequest(`${mustBe}: Object 'apiVersion' is missing in '${text}' (${text})`);
  }
  if (apiVersion !== wanted) {
    const shown = typeof apiVersion === 'string' ? apiVersion : JSON.stringify(apiVersion);
    const differs = `does not match the expected API version (${wanted})`;
    throw badRequest(`the API version in the data (${shown}) ${differs}`);
  }
  return object; // another kind of the same group is reported by the rules of custom resources
}

function goType({ version }: ResourceType, kind: string): string {
  return `${version}.${kind}`;
}

function internalType({ group, kind }: ResourceType): string {
  return `${group === '' ? 'core' : (group.split('.')[0] ?? group)}.${kind}`;
}

/** Only parts that `live` does not have. The rest has been pruned before. */
function pruned(object: JsonObject, { type, live }: Decoding, dropped: string[]): JsonObject {
  const schema = schemaOf(type);
  if (schema === undefined) return object;
  const part = live === undefined ? object : changedPart(object, live);
  if (part === undefined) return object;
  const result = schema.prune(part);
  dropped.push(...result.dropped);
  if (result.object === part) return object;
  if (part === object) return result.object;
  const kept = Object.entries(object).filter(
    ([key]) => !Object.hasOwn(part, key) || Object.hasOwn(result.object, key),
  );
  return { ...Object.fromEntries(kept), ...result.object };
}

/**
 * The fields that differ from `live`, and those that name an object. Undefined when none differs.
 */
function changedPart(object: JsonObject, live: Draft): JsonObject | undefined {
  const changed = Object.entries(object).filter(
    ([key, value]) => !identity.has(key) && value !== live[key],
  );
  if (changed.length === 0) return undefined;
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, metadata, ...Object.fromEntries(changed) };
}

const identity = new Set(['apiVersion', 'kind', 'metadata']);

function tellDropped(dropped: readonly string[], body: JsonObject, decoding: Decoding): void {
  const { fieldValidation = 'Warn', warn, type } = decoding;
  if (dropped.length === 0 || fieldValidation === 'Ignore') return;
  const ordered = type.isBuiltIn ? documentOrder(dropped, body) : [...dropped].sort();
  const texts = ordered.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (fieldValidation === 'Strict') {
    throw refusal(decoding, body, `strict decoding error: ${texts.join(', ')}`);
  }
  for (const text of texts) warn?.(text);
}

/** Wrong types in built-in kinds fail in the decoder; custom resources are validated later. */
function checkTypes(object: JsonObject, decoding: Decoding): void {
  const schema = schemaOf(decoding.type);
  const part = decoding.live === undefined ? object : changedPart(object, decoding.live);
  if (schema === undefined || part === undefined) return;
  const fault = schema.validate(part).find(({ reason }) => reason === 'FieldValueTypeInvalid');
  if (fault === undefined) {
    const why = decoding.type.schema && scalarFault(part, decoding.type.schema);
    if (why === undefined) return;
    throw refusal(decoding, object, why);
  }
  const found = /must be of type (\w+): "(\w+)"/.exec(fault.message);
  const [, wanted = 'object', actual = 'value'] = found ?? [];
  const field = `${decoding.type.kind}.${fault.field ?? ''}`;
  const why = `json: cannot unmarshal ${goNames[actual] ?? actual} into Go struct field ${field} of type ${goNames[wanted] ?? wanted}`;
  throw refusal(decoding, object, why);
}

const goNames: Readonly<Record<string, string>> = { integer: 'number', boolean: 'bool' };

function refusal(
  { type, isPatched = false }: Decoding,
  object: Json | undefined,
  why: string,
  what = `${type.kind} in version ${JSON.stringify(type.version)}`,
): StatusError {
  if (!isPatched) return badRequest(`${what} cannot be handled as a ${type.kind}: ${why}`);
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(object))}: ${why}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'patch' }];
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, { causes });
}
