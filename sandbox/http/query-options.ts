/**
 * Parses query parameters into options, with the refusals of apimachinery's conversion and
 * validation.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { ApiVerb, CallOptions } from '../api/api-call.ts';
import { badRequest, invalid, type StatusError } from '../apimachinery/status-error.ts';
import { goQuote } from '../apimachinery/go-text.ts';

type Mutable<Options> = { -readonly [Name in keyof Options]: Options[Name] };

export type OptionsKind =
  'ListOptions' | 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

export const optionsKinds: Readonly<Record<ApiVerb, OptionsKind | undefined>> = {
  get: undefined,
  list: 'ListOptions',
  watch: 'ListOptions',
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  delete: 'DeleteOptions',
  deletecollection: 'DeleteOptions',
};

/** Throws StatusError 400, 422. */
export function optionsFromQuery(verb: ApiVerb, query: URLSearchParams): CallOptions {
  const options: Mutable<CallOptions> = {};
  if (verb === 'get') setText(options, query, 'resourceVersion');
  if (verb === 'list' || verb === 'watch' || verb === 'deletecollection') {
    readListOptions(options, query, verb);
  }
  if (verb === 'delete' || verb === 'deletecollection') readDeleteOptions(options, query);
  if (verb === 'create' || verb === 'update' || verb === 'patch') {
    readWriteOptions(options, query, verb);
  }
  return options;
}

/** Whether `?watch` asks for a watch: everything but `0` and `false` does. */
export function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

function readListOptions(
  options: Mutable<CallOptions>,
  query: URLSearchParams,
  verb: ApiVerb,
): void {
  for (const name of ['labelSelector', 'fieldSelector', 'continue', 'resourceVersion'] as const) {
    setText(options, query, name);
  }
  setInteger(options, query, 'limit');
  setInteger(options, query, 'timeoutSeconds');
  const match = text(query, 'resourceVersionMatch');
  const sendsInitialEvents = query.get('sendInitialEvents') !== null;
  const fault = listFault(options, match, sendsInitialEvents, verb === 'watch');
  if (fault !== undefined) throw fault;
  if (match !== undefined) options.resourceVersionMatch = match as 'Exact' | 'NotOlderThan';
  if (query.has('allowWatchBookmarks')) {
    options.allowWatchBookmarks = isSet(query, 'allowWatchBookmarks');
  }
  if (sendsInitialEvents) options.sendInitialEvents = isSet(query, 'sendInitialEvents');
}

/** apimachinery pkg/apis/meta/internalversion/validation. */
function listFault(
  options: CallOptions,
  match: string | undefined,
  sendsInitialEvents: boolean,
  isWatch: boolean,
): StatusError | undefined {
  const forbidden = (field: string, why: string) =>
    faultOf('ListOptions', field, 'FieldValueForbidden', `Forbidden: ${why}`);
  const field = 'resourceVersionMatch';
  if (sendsInitialEvents && !isWatch) {
    return forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list');
  }
  if (sendsInitialEvents && match !== 'NotOlderThan') {
    const why = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    return forbidden(field, why);
  }
  if (match === undefined) return undefined;
  if (isWatch) {
    if (sendsInitialEvents) return undefined;
    return forbidden(
      field,
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  }
  if ((options.resourceVersion ?? '') === '') {
    return forbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided');
  }
  if (options.continue !== undefined) {
    return forbidden(field, 'resourceVersionMatch is forbidden when continue is provided');
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    return unsupported('ListOptions', field, match, ['Exact', 'NotOlderThan', '']);
  }
  if (match === 'Exact' && options.resourceVersion === '0') {
    const why = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"';
    return forbidden(field, why);
  }
  return undefined;
}

function readDeleteOptions(options: Mutable<CallOptions>, query: URLSearchParams): void {
  setInteger(options, query, 'gracePeriodSeconds');
  const policy = text(query, 'propagationPolicy');
  if (policy !== undefined) options.propagationPolicy = propagationOf(policy);
  else if (query.has('orphanDependents')) {
    options.propagationPolicy = isSet(query, 'orphanDependents') ? 'Orphan' : 'Background';
  }
  setDryRun(options, query.getAll('dryRun'), 'DeleteOptions');
}

/** The body of a DELETE, which replaces the options of the query. Throws StatusError 400, 422. */
export function deleteOptionsFromBody(body: JsonObject): CallOptions {
  const options: Mutable<CallOptions> = {};
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions, dryRun } = body;
  if (body['kind'] !== undefined && body['kind'] !== 'DeleteOptions') {
    throw badRequest(`${JSON.stringify(body['kind'])} in the body of a delete is no DeleteOptions`);
  }
  if (typeof gracePeriodSeconds === 'number') options.gracePeriodSeconds = gracePeriodSeconds;
  if (typeof propagationPolicy === 'string') {
    if (typeof orphanDependents === 'boolean') throw bothPolicies(propagationPolicy);
    options.propagationPolicy = propagationOf(propagationPolicy);
  } else if (typeof orphanDependents === 'boolean') {
    options.propagationPolicy = orphanDependents ? 'Orphan' : 'Background';
  }
  if (typeof preconditions === 'object' && preconditions !== null) {
    const { uid, resourceVersion } = preconditions as JsonObject;
    options.preconditions = {
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    };
  }
  setDryRun(options, Array.isArray(dryRun) ? (dryRun as string[]) : [], 'DeleteOptions');
  return options;
}

const policies = ['Foreground', 'Background', 'Orphan'] as const;

function propagationOf(policy: string): (typeof policies)[number] {
  const known = policies.find((name) => name === policy);
  if (known !== undefined) return known;
  throw unsupported('DeleteOptions', 'propagationPolicy', policy, [...policies, 'nil']);
}

function bothPolicies(policy: string): StatusError {
  const detail = 'orphanDependents and deletionPropagation cannot be both set';
  const message = `Invalid value: ${JSON.stringify(policy)}: ${detail}`;
  const type = { group: 'meta.k8s.io', plural: 'DeleteOptions', kind: 'DeleteOptions' };
  const field = 'propagationPolicy';
  return invalid(type, '', [{ reason: 'FieldValueInvalid', message, field }]);
}

const maxFieldManagerBytes = 128;
/** The same characters as Go's unicode.IsPrint. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function unprintableManager(kind: OptionsKind, manager: string, place: number): StatusError {
  const code = Array.from(manager)[place]?.codePointAt(0) ?? 0;
  const shown = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const detail = `invalid character ${shown} (at position ${place})`;
  const message = `Invalid value: ${goQuote(manager)}: ${detail}`;
  return faultOf(kind, 'fieldManager', 'FieldValueInvalid', message);
}

function readWriteOptions(
  options: Mutable<CallOptions>,
  query: URLSearchParams,
  verb: 'create' | 'update' | 'patch',
): void {
  const kind = optionsKinds[verb] ?? 'UpdateOptions';
  setText(options, query, 'fieldManager');
  const manager = options.fieldManager ?? '';
  if (Buffer.byteLength(manager) > maxFieldManagerBytes) {
    const message = `Too long: may not be more than ${maxFieldManagerBytes} bytes`;
    throw faultOf(kind, 'fieldManager', 'FieldValueTooLong', message);
  }
  const unprintable = Array.from(manager).findIndex((character) => !printable.test(character));
  if (unprintable >= 0) throw unprintableManager(kind, manager, unprintable);
  setDryRun(options, query.getAll('dryRun'), kind);
  const validation = text(query, 'fieldValidation');
  if (validation !== undefined) {
    const known = (['Ignore', 'Strict', 'Warn'] as const).find((name) => name === validation);
    if (known === undefined) {
      throw unsupported(kind, 'fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']);
    }
    options.fieldValidation = known;
  }
  if (verb === 'patch' && query.has('force')) options.force = isSet(query, 'force');
}

function setDryRun(
  options: Mutable<CallOptions>,
  values: readonly string[],
  kind: OptionsKind,
): void {
  if (values.length === 0) return;
  if (values.some((value) => value !== 'All')) {
    const shown = `[${values.map((value) => JSON.stringify(value)).join(',')}]`;
    const message = `Unsupported value: ${shown}: supported values: "All"`;
    throw faultOf(kind, 'dryRun', 'FieldValueNotSupported', message);
  }
  options.dryRun = true;
}

function text(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  return value === null || value === '' ? undefined : value;
}

function setText(
  options: Mutable<CallOptions>,
  query: URLSearchParams,
  name: 'labelSelector' | 'fieldSelector' | 'continue' | 'resourceVersion' | 'fieldManager',
): void {
  const value = text(query, name);
  if (value !== undefined) options[name] = value;
}

function setInteger(
  options: Mutable<CallOptions>,
  query: URLSearchParams,
  name: 'limit' | 'timeoutSeconds' | 'gracePeriodSeconds',
): void {
  const value = integerFrom(query, name);
  if (value !== undefined) options[name] = value;
}

/** Throws StatusError 400 in the words of Go's strconv. */
export function integerFrom(query: URLSearchParams, name: string): number | undefined {
  const value = text(query, name);
  if (value === undefined) return undefined;
  if (!/^[+-]?\d+$/.test(value)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
  return Number(value);
}

function unsupported(
  kind: OptionsKind,
  field: string,
  value: string,
  supported: readonly string[],
): StatusError {
  const list = supported.map((name) => JSON.stringify(name)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`;
  return faultOf(kind, field, 'FieldValueNotSupported', message);
}

function faultOf(kind: OptionsKind, field: string, reason: string, message: string): StatusError {
  const type = { group: 'meta.k8s.io', plural: kind, kind };
  return invalid(type, '', [{ reason, message, field }]);
}
