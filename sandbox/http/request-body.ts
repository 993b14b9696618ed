/** Bodies of requests: limited in size, and JSON, YAML or protobuf by their content type. */
import type { IncomingMessage } from 'node:http';
import { parse, YAMLError } from 'yaml';
import type { Json } from '#shared/domain/objects.ts';
import type { PatchKind } from '../api/api-call.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import { badRequest, StatusError } from '../apimachinery/status-error.ts';
import { objectFromProtobuf } from './protobuf-object.ts';
import { MalformedProtobuf } from './protobuf-reader.ts';

/** The API server's limit: `MaxRequestBodyBytes` of k8s.io/apiserver pkg/server/config.go. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** Throws StatusError 413. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () =>
    new StatusError(
      413,
      'RequestEntityTooLarge',
      `Request entity too large: limit is ${maxBodyBytes}`,
    );
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const objectTypes = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

/**
 * The object that was sent. Undefined for an empty body. Throws StatusError 400, or 415 for a
 * content type that no object has.
 */
export function objectFromBody(
  body: Buffer,
  contentType: string | undefined,
  kind: string,
): Json | undefined {
  const media = mediaTypeOf(contentType);
  switch (media) {
    case '':
    case 'application/json':
      return body.length === 0 ? undefined : jsonFrom(body, kind);
    case 'application/yaml':
      return yamlFrom(body);
    case 'application/vnd.kubernetes.protobuf':
      return body.length === 0 ? undefined : protobufFrom(body);
    default:
      throw unsupported(objectTypes);
  }
}

const patchKinds: Readonly<Record<string, PatchKind>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** Throws StatusError 415. */
export function patchKindOf(contentType: string | undefined, type: ResourceType): PatchKind {
  const kind = patchKinds[mediaTypeOf(contentType)];
  if (kind !== undefined && (kind !== 'strategic' || type.isBuiltIn)) return kind;
  const known = Object.keys(patchKinds).filter(
    (name) => type.isBuiltIn || patchKinds[name] !== 'strategic',
  );
  throw unsupported(known.join(', '));
}

/** Throws StatusError 400. */
export function patchFromBody(body: Buffer, kind: PatchKind): Json {
  if (kind === 'apply') return yamlFrom(body) ?? null;
  try {
    return parsedJson(body.toString('utf8'));
  } catch (error) {
    throw badRequest(`error decoding patch: ${reasonOf(error)}`);
  }
}

export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/**
 * Limit for the nesting of lists and maps, because all code that walks an object is recursive. The
 * API server accepts up to 10,000 levels (sigs.k8s.io/json) and reports more in the same words.
 */
const maxDepth = 1_000;

/** Throws SyntaxError, also for too deep nesting. One pass over any text. */
function parsedJson(text: string): Json {
  if (depthOf(text) > maxDepth) throw new SyntaxError('exceeded max depth');
  return JSON.parse(text) as Json;
}

/** Counts brackets and braces outside of strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, (depth += 1));
    else if (token === ']' || token === '}') depth -= 1;
  }
  return deepest;
}

function jsonFrom(body: Buffer, kind: string): Json {
  const text = body.toString('utf8');
  try {
    return parsedJson(text);
  } catch (error) {
    const mustBe = `the object provided is unrecognized (must be of type ${kind})`;
    const shown = JSON.stringify(text.slice(0, 40));
    throw badRequest(
      `${mustBe}: couldn't get version/kind; json parse error: ${reasonOf(error)} (${shown})`,
    );
  }
}

/** Bodies that kubectl sends as YAML are JSON. */
function yamlFrom(body: Buffer): Json | undefined {
  const text = body.toString('utf8');
  try {
    if (text.startsWith('{')) return parsedJson(text);
  } catch {
    // YAML may begin with a brace as well.
  }
  try {
    if (indentOf(text) > maxDepth) throw new RangeError('exceeded max depth');
    const object = parse(text, { merge: true, logLevel: 'error' }) as Json | undefined;
    return object === undefined ? undefined : parsedJson(JSON.stringify(object));
  } catch (error) {
    throw badRequest(
      `error decoding YAML: error converting YAML to JSON: yaml: ${yamlFault(error)}`,
    );
  }
}

/** An upper bound for the nesting by flow collections, dashes and indentation. */
function indentOf(text: string): number {
  let deepest = depthOf(text);
  for (const [start] of text.matchAll(/^[ -]+/gm)) deepest = Math.max(deepest, start.length / 2);
  return deepest;
}

/** The library throws a ReferenceError when aliases would be expanded too often. */
function yamlFault(error: unknown): string {
  if (error instanceof YAMLError) return error.message.split('\n')[0] ?? '';
  if (error instanceof ReferenceError) return 'document contains excessive aliasing';
  return reasonOf(error);
}

function protobufFrom(body: Buffer): Json {
  try {
    return objectFromProtobuf(body);
  } catch (error) {
    if (!(error instanceof MalformedProtobuf)) throw error;
    throw badRequest(`the sandbox cannot read the protobuf of this request: ${error.message}`);
  }
}

function unsupported(known: string): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${known}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
