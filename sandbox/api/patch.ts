/** Patch: k8s.io/apiserver pkg/endpoints/handlers/patch.go, with the code in merge/. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import { applyPatch } from '../merge/apply-patch.ts';
import { jsonPatch } from '../merge/json-patch.ts';
import { strategicMerge } from '../merge/strategic-merge.ts';
import { required } from '../apimachinery/cause.ts';
import type { AdmissionSteps } from './admission-step.ts';
import type { ApiAnswer } from './api-answer.ts';
import type { ApiCall, Warn } from './api-call.ts';
import { cleanObject, nullsOf } from './clean-json.ts';
import { createDecoded, placed } from './create.ts';
import { decodeObject } from './decode.ts';
import { asJson, type Draft } from './draft.ts';
import {
  badRequest,
  conflict,
  invalid,
  notFound,
  StatusError,
} from '../apimachinery/status-error.ts';
import { strategyOf } from './strategies.ts';
import { checkVersion, commit, locate, modified, replacement } from './update.ts';
import { hasStatus, timeOf, type World } from './world.ts';

const attempts = 5;

export function* patch(
  world: World,
  call: ApiCall,
  warn: Warn | undefined,
): AdmissionSteps<ApiAnswer> {
  const { type, name, patchKind, subresource } = call;
  checkKind(call);
  for (let attempt = 1; ; attempt += 1) {
    const found = locate(world, call);
    strategyOf(type).refuse?.(call, found?.live);
    const isApply = patchKind === 'apply';
    if (found === undefined && (!isApply || subresource !== '')) throw notFound(type, name);
    const live = found?.live;
    const changed = patched(world, call, live);
    const draft = placed(
      decodePatched(call, changed, live, attempt === 1 ? warn : undefined),
      call,
    );
    checkName(draft, name);
    if (found === undefined) return yield* createDecoded(world, call, draft, true);
    checkVersion(draft.metadata, found.live.metadata, call);
    const object = yield* replacement(world, call, found.live, draft, isApply);
    const answer = commit(world, call, found, object);
    if (answer !== undefined) return answer;
    if (attempt === attempts) throw conflict(type, name, modified);
  }
}

/** Throws StatusError 415, 422. */
function checkKind({ type, patchKind, options }: ApiCall): void {
  if (patchKind === 'strategic' && !type.isBuiltIn) {
    const known =
      'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
    const message = `the body of the request was in an unknown format - accepted media types include: ${known}`;
    throw new StatusError(415, 'UnsupportedMediaType', message);
  }
  if (patchKind !== 'apply' && options.force !== undefined) {
    throw patchOptionsFault('force', 'Forbidden: may not be specified for non-apply patch');
  }
  if (patchKind === 'apply' && (options.fieldManager ?? '') === '') {
    const fault = required('fieldManager', 'is required for apply patch');
    throw patchOptionsFault('fieldManager', fault.message, fault.reason);
  }
}

function patchOptionsFault(field: string, message: string, reason = 'FieldValueForbidden'): Error {
  const type = { group: 'meta.k8s.io', plural: 'PatchOptions', kind: 'PatchOptions' };
  return invalid(type, '', [{ reason, message, field }]);
}

function patched(world: World, call: ApiCall, live: Draft | undefined): JsonObject {
  const { type, body, patchKind = 'merge' } = call;
  if (patchKind === 'apply') return applied(world, call, live);
  if (live === undefined) throw notFound(type, call.name);
  const document = asJson(live);
  switch (patchKind) {
    case 'json':
      return jsonPatch(document, body ?? []);
    case 'merge':
      return applyMergePatch(document, patchObject(body)) as JsonObject;
    case 'strategic':
      return strategicMerge(document, patchObject(body), type.schema);
  }
}

function applied(world: World, call: ApiCall, live: Draft | undefined): JsonObject {
  const { type, options, subresource } = call;
  const sent = cleanObject(patchObject(call.body), nullsOf(type));
  return applyPatch({
    live: live && asJson(live),
    applied: sent,
    schema: type.schema,
    manager: options.fieldManager ?? '',
    force: options.force === true,
    subresource,
    time: timeOf(world),
    hasStatus: type.isBuiltIn || hasStatus(type),
  });
}

function patchObject(body: Json | undefined): JsonObject {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
  const kind = Array.isArray(body) ? 'array' : typeof body;
  const why = `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding patch: ${why}`);
}

function decodePatched(
  { type, options, patchKind }: ApiCall,
  object: JsonObject,
  live: Draft | undefined,
  warn: Warn | undefined,
): Draft {
  const { fieldValidation } = options;
  return decodeObject(object, {
    type,
    fieldValidation,
    warn,
    live,
    isPatched: patchKind !== 'apply',
  });
}

function checkName({ metadata }: Draft, name: string): void {
  const own = metadata.name as string | undefined;
  if (own === name) return;
  throw badRequest(
    own === undefined || own === ''
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${own}) does not match the name on the URL (${name})`,
  );
}
