/** Reads an AdmissionReview (admission.k8s.io/v1) strictly. */
import { Type, type Static } from 'typebox';
import { Errors } from 'typebox/value';
import type { Review } from '#shared/domain/admission-decision.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { parseMediaType } from '#shared/events/media-type.ts';
import { parseStrictJson } from '#shared/events/strict-json.ts';

export const reviewApiVersion = 'admission.k8s.io/v1';

const text = Type.String();
const anyObject = Type.Object({});
const objectOrNone = Type.Optional(Type.Union([Type.Null(), anyObject]));

/** Only the members that are read. A later API server may add others. */
const requestSchema = Type.Object({
  uid: Type.String({ minLength: 1 }),
  kind: Type.Object({ group: text, version: text, kind: text }),
  resource: Type.Object({ group: text, version: text, resource: text }),
  subResource: Type.Optional(text),
  namespace: Type.Optional(text),
  name: Type.Optional(text),
  operation: Type.Enum(['CREATE', 'UPDATE', 'DELETE']),
  userInfo: Type.Object({
    username: Type.Optional(text),
    uid: Type.Optional(text),
    groups: Type.Optional(Type.Array(text)),
    extra: Type.Optional(Type.Record(text, Type.Array(text))),
  }),
  object: objectOrNone,
  oldObject: objectOrNone,
  dryRun: Type.Optional(Type.Boolean()),
});

type Request = Static<typeof requestSchema>;

/** Most faults in one answer. */
const maxFaults = 5;
const maxShownLength = 200;

/** Throws MR_REVIEW_MALFORMED with what is wrong, where and why; 415 if the body is not JSON. */
export function readReview(contentType: string | undefined, body: Uint8Array): Review {
  requireJson(contentType);
  const review = parseStrictJson(body, 'the body', malformed);
  if (!isObject(review)) return malformed('the body is no JSON object');
  requireVersion(review);
  return reviewOf(requestOf(review['request']));
}

function requireJson(contentType: string | undefined): void {
  if (contentType === undefined) unsupported('the content type is missing');
  const { essence } = parseMediaType(contentType, unsupported);
  if (essence !== 'application/json') {
    unsupported(`the content type is ${essence.slice(0, maxShownLength)}, not application/json`);
  }
}

function requireVersion({ apiVersion, kind }: JsonObject): void {
  if (kind !== 'AdmissionReview') malformed(`kind is ${shown(kind)}, not "AdmissionReview"`);
  if (apiVersion === reviewApiVersion) return;
  malformed(
    `apiVersion is ${shown(apiVersion)}, and only ${reviewApiVersion} is answered: ` +
      'the webhook is to be registered with admissionReviewVersions: ["v1"]',
  );
}

function requestOf(request: Json | undefined): Request {
  if (!isObject(request)) return malformed(`request is ${shown(request)}, not an object`);
  const faults = Errors(requestSchema, request).map(
    ({ instancePath, message }) =>
      `request${instancePath.replaceAll('/', '.').slice(0, maxShownLength)} ${message}`,
  );
  if (faults.length > 0) malformed(faults.slice(0, maxFaults).join('; '));
  // The schema, which the type is derived from, has checked it.
  return request as unknown as Request;
}

function reviewOf(request: Request): Review {
  const { uid, operation, kind, userInfo, dryRun = false } = request;
  const { username = '', groups = [], extra = {} } = userInfo;
  const { resource: plural, group, version } = request.resource;
  const object = present(request.object);
  const oldObject = present(request.oldObject);
  requireObjects(request, object, oldObject);
  return {
    uid,
    operation,
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    resource: { group, version, plural },
    subresource: request.subResource ?? '',
    namespace: request.namespace ?? '',
    name: request.name ?? '',
    ...(object === undefined ? {} : { object }),
    ...(oldObject === undefined ? {} : { oldObject }),
    user: {
      ...{ username, groups, extra },
      ...(userInfo.uid === undefined ? {} : { uid: userInfo.uid }),
    },
    dryRun,
  };
}

/** The objects that each operation must have; decisions rely on them. */
function requireObjects(
  { operation, kind }: Request,
  object: JsonObject | undefined,
  oldObject: JsonObject | undefined,
): void {
  if (operation !== 'DELETE' && object === undefined) {
    malformed(`request.object is missing, which ${operation} comes with`);
  }
  if (operation !== 'CREATE' && oldObject === undefined) {
    malformed(`request.oldObject is missing, which ${operation} comes with`);
  }
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  for (const [name, of] of Object.entries({ object, oldObject })) {
    if (of === undefined || (of['apiVersion'] === apiVersion && of['kind'] === kind.kind)) continue;
    const found = `${shown(of['apiVersion'])} ${shown(of['kind'])}`;
    malformed(`request.${name} is of ${found}, but request.kind says ${apiVersion} ${kind.kind}`);
  }
}

function present(object: object | null | undefined): JsonObject | undefined {
  return object === null ? undefined : (object as JsonObject | undefined);
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  return JSON.stringify(value).slice(0, maxShownLength);
}

function malformed(detail: string, cause?: unknown): never {
  throw new MillraceError('MR_REVIEW_MALFORMED', { detail }, { cause });
}

function unsupported(detail: string): never {
  throw new MillraceError('MR_REVIEW_MALFORMED', { detail, status: 415 });
}
