/**
 * JSON patch (RFC 6902) as the API server applies it, with the leniency of its library
 * (evanphx/json-patch v4): replacing an absent member adds it, copying one or adding without a value
 * writes null, and an absent member passes the test for null.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import { applyPatch, type Operation } from 'rfc6902';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { badRequest, StatusError } from '../apimachinery/status-error.ts';

const maxOperations = 10_000;
/** The library ignores these names in a path, so it would write elsewhere. */
const unsafe: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The document after all operations. `doc` is unchanged and shares its untouched parts with the result. Throws
 * StatusError: 400 for an invalid patch, 413 for more than 10,000 operations, 422 for a patch that does not apply.
 */
export function jsonPatch(doc: JsonObject, operations: Json): JsonObject {
  if (!isList(operations)) throw undecodable(operations, '[]handlers.jsonPatchOp');
  if (operations.length > maxOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`;
    throw new StatusError(413, 'RequestEntityTooLarge', message);
  }
  return operations.map(readOperation).reduce(apply, doc);
}

interface Step {
  readonly op: string;
  readonly path: readonly string[];
  /** Absent if the operation has no such field. */
  readonly from: readonly string[] | undefined;
  readonly value: Json;
}

function readOperation(operation: Json): Step {
  if (!isObject(operation)) throw undecodable(operation, 'handlers.jsonPatchOp');
  const { op, path, from, value = null } = operation;
  if (typeof op !== 'string' || typeof path !== 'string') throw notApplicable();
  return {
    op,
    path: tokens(path),
    from: typeof from === 'string' ? tokens(from) : undefined,
    value,
  };
}

/** Text before the first slash is ignored, even if it is not empty. */
function tokens(path: string): readonly string[] {
  const [first, ...rest] = path.split('/');
  if (rest.length === 0 && first !== '') throw notApplicable();
  const names = rest.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (names.some((name) => unsafe.has(name))) throw notApplicable();
  return names;
}

function apply(doc: JsonObject, step: Step): JsonObject {
  const { op, path, from, value } = step;
  if (path.length === 0) return applyToWhole(doc, step);
  const isAbsent = isAbsentMember(doc, path);
  if (op === 'test' && isAbsent && value === null) return doc;
  const lenient = op === 'replace' && isAbsent ? 'add' : op;
  if (op === 'copy' && from && isAbsentMember(doc, from)) {
    return run(doc, { ...step, op: 'add', value: null });
  }
  return run(doc, { ...step, op: lenient });
}

function applyToWhole(doc: JsonObject, { op, value }: Step): JsonObject {
  if (op === 'replace' && isObject(value)) return value;
  if (op === 'test' && jsonEqual(doc, value)) return doc;
  throw notApplicable();
}

function run(doc: JsonObject, { op, path, from, value }: Step): JsonObject {
  const own = withOwnPath(doc, path);
  // A moved part is copied, so that it is checked again at its new place. Frozen parts would not be.
  const copy = from ? withOwnPath(own, from, op === 'move' ? structuredClone : undefined) : own;
  const operation = { op, path: pointer(path), value, ...(from && { from: pointer(from) }) };
  const [failure] = applyPatch(copy, [operation as Operation]);
  if (failure) throw notApplicable();
  return copy as JsonObject;
}

/** A copy in which all containers along `path` are copies too, because the library writes in place. */
function withOwnPath(value: Json, path: readonly string[], atEnd = (end: Json): Json => end): Json {
  const [token, ...rest] = path;
  if (token === undefined) return atEnd(value);
  if (isList(value)) {
    const child = value[Number(token)];
    if (child === undefined) return [...value];
    return value.with(Number(token), withOwnPath(child, rest, atEnd));
  }
  if (!isObject(value)) return value;
  const child = Object.hasOwn(value, token) ? value[token] : undefined;
  if (child === undefined) return { ...value };
  return { ...value, [token]: withOwnPath(child, rest, atEnd) };
}

/** Whether the container of the last member of `path` exists and the member does not. */
function isAbsentMember(doc: JsonObject, path: readonly string[]): boolean {
  let value: Json | undefined = doc;
  for (const token of path.slice(0, -1)) {
    if (isList(value)) value = value[Number(token)];
    else value = isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
  }
  const last = path.at(-1) ?? '';
  return isObject(value) && !(Object.hasOwn(value, last) && value[last] !== undefined);
}

function pointer(path: readonly string[]): string {
  return path.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function notApplicable(): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError(422, 'Invalid', message, {});
}

function undecodable(value: Json, into: string): StatusError {
  const what = isObject(value) ? 'object' : isList(value) ? 'array' : typeof value;
  const kind = what === 'boolean' ? 'bool' : what;
  return badRequest(
    `error decoding patch: json: cannot unmarshal ${kind} into Go value of type ${into}`,
  );
}
