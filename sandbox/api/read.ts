/** Get and list, by the rules for resourceVersions and pages of KEP-365 and KEP-3157. */
import { apiVersionOf, type KubeObject } from '#shared/domain/objects.ts';
import type { ApiAnswer, ObjectList } from './api-answer.ts';
import type { ApiCall, CallOptions } from './api-call.ts';
import { continueToken, parseContinue, type Continue } from './continue-token.ts';
import { fieldSelector, selectedName, type ObjectPredicate } from './field-selector.ts';
import { labelSelector } from '../apimachinery/selector-text.ts';
import { badRequest, expired, notFound, StatusError } from '../apimachinery/status-error.ts';
import { storageFor } from './storage-for.ts';
import { locate } from './update.ts';
import type { World } from './world.ts';

export function get(world: World, call: ApiCall): ApiAnswer {
  const { resourceVersion = '' } = call.options;
  if (resourceVersion !== '') checkReached(world, parsedVersion(resourceVersion, 500));
  const found = locate(world, call);
  if (found === undefined) throw notFound(call.type, call.name);
  return { code: 200, body: found.live };
}

export function list(world: World, call: ApiCall): ApiAnswer {
  const { type, options } = call;
  const matches = selection(call);
  const next =
    options.continue === undefined || options.continue === ''
      ? undefined
      : parseContinue(options.continue);
  const revision = revisionOf(world, options, next);
  const all = objectsAt(world, call, revision);
  const { fromStored } = storageFor(world, type);
  const selected = (matches === undefined ? all : all.filter(matches)).map(fromStored);
  return { code: 200, body: page(call, selected, revision, next, matches !== undefined) };
}

/** The objects that the label and field selectors select, judged as stored. Undefined: all. */
export function selection({ type, options }: ApiCall): ObjectPredicate | undefined {
  const labels = labelSelector(options.labelSelector);
  const fields = fieldSelector(options.fieldSelector, type);
  if (labels === undefined) return fields;
  const byLabels: ObjectPredicate = ({ metadata }) => labels(metadata.labels);
  return fields === undefined ? byLabels : (object) => byLabels(object) && fields(object);
}

/** Throws StatusError 400, or with `code` 500 where the API server itself fails. */
export function parsedVersion(text: string, code: 400 | 500 = 400): number {
  if (/^\d+$/.test(text)) return Number(text);
  const parse = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  const fault = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${parse}`;
  if (code === 500) throw new StatusError(500, '', fault);
  throw badRequest(`invalid resource version: ${fault}`);
}

/** Throws StatusError 504 for a future version. The real server waits for it first. */
export function checkReached({ store }: World, revision: number): void {
  if (revision <= store.revision) return;
  const cause = 'Too large resource version';
  const message = `Timeout: ${cause}: ${revision}, current: ${store.revision}`;
  throw new StatusError(504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: cause }],
    retryAfterSeconds: 1,
  });
}

function revisionOf(world: World, options: CallOptions, next: Continue | undefined): number {
  const present = world.store.revision;
  if (next !== undefined) return next.revision;
  const { resourceVersion = '', resourceVersionMatch } = options;
  if (resourceVersionMatch !== undefined) checkMatch(resourceVersion, resourceVersionMatch);
  if (resourceVersion === '' || resourceVersion === '0') return present;
  const revision = parsedVersion(resourceVersion);
  checkReached(world, revision);
  return resourceVersionMatch === 'Exact' ? revision : present;
}

function checkMatch(resourceVersion: string, match: string): void {
  const field = 'resourceVersionMatch';
  const message =
    resourceVersion === ''
      ? `Forbidden: ${field} is forbidden unless resourceVersion is provided`
      : match === 'Exact' && resourceVersion === '0'
        ? `Forbidden: ${field} "exact" is forbidden for resourceVersion "0"`
        : undefined;
  if (message === undefined) return;
  const causes = [{ reason: 'FieldValueForbidden', message, field }];
  const text = `ListOptions.meta.k8s.io "" is invalid: ${field}: ${message}`;
  throw new StatusError(422, 'Invalid', text, {
    group: 'meta.k8s.io',
    kind: 'ListOptions',
    causes,
  });
}

/** The stored objects as of `revision`. Throws StatusError 410 if that is no longer known. */
function objectsAt(world: World, call: ApiCall, revision: number): readonly KubeObject[] {
  const { store } = world;
  const { type } = storageFor(world, call.type);
  const { namespace } = call;
  if (revision === store.revision) return presentObjects(world, call);
  if (revision < store.history.floor) {
    throw expired(
      call.options.continue === undefined
        ? 'The resourceVersion for the provided list is too old.'
        : 'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    );
  }
  const present = new Map(store.list(type, namespace).map((object) => [keyOf(object), object]));
  const past = store.history.undone(present, revision, ({ resourceType, object }) => {
    const isSameType = resourceType.plural === type.plural && resourceType.group === type.group;
    const isWithin = namespace === '' || object.metadata.namespace === namespace;
    return isSameType && isWithin ? keyOf(object) : undefined;
  });
  return [...past].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, object]) => object);
}

function presentObjects(
  world: World,
  { type, namespace, options }: ApiCall,
): readonly KubeObject[] {
  const { type: storedType } = storageFor(world, type);
  const name = selectedName(options.fieldSelector);
  if (name === undefined || (type.namespaced && namespace === '')) {
    return world.store.list(storedType, namespace);
  }
  const object = world.store.get(storedType, namespace, name);
  return object === undefined ? [] : [object];
}

/** The order of etcd. A slash sorts before every character that a name may have. */
function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}\u0000${name}`;
}

function page(
  { type, options }: ApiCall,
  objects: readonly KubeObject[],
  revision: number,
  next: Continue | undefined,
  isSelection: boolean,
): ObjectList {
  const { limit = 0 } = options;
  const from = next === undefined ? 0 : objects.findIndex((object) => keyOf(object) > next.after);
  const rest = from === -1 ? [] : objects.slice(from);
  const items = limit > 0 ? rest.slice(0, limit) : rest;
  const last = items.at(-1);
  const remaining = rest.length - items.length;
  return {
    apiVersion: apiVersionOf(type),
    kind: type.listKind,
    metadata: {
      resourceVersion: String(revision),
      ...(remaining > 0 && last !== undefined
        ? {
            continue: continueToken({ revision, after: keyOf(last) }),
            // The remaining items of a selection are not counted, because the real server avoids looking at all.
            ...(isSelection ? {} : { remainingItemCount: remaining }),
          }
        : {}),
    },
    items,
  };
}
