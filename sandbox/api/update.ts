/** Update: store.go Update and rest.BeforeUpdate; also the second half of every patch. */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { invalid as invalidField } from '../apimachinery/cause.ts';
import type { Storage } from '../registry/type-registry.ts';
import { mutated, validated, type AdmissionSteps } from './admission-step.ts';
import type { ApiAnswer } from './api-answer.ts';
import type { ApiCall, Warn } from './api-call.ts';
import { createDecoded, kindOf, placed } from './create.ts';
import { decodeObject } from './decode.ts';
import { withDefaults } from './defaults.ts';
import { asDraft, withMeta, withoutMeta, type Draft, type StoredMeta } from './draft.ts';
import { changesNothing, tracked } from './field-owners.ts';
import { metadataChangeFaults, metadataFaults } from './metadata-rules.ts';
import { checkSize } from './object-size.ts';
import { schemaFaults } from './schema-faults.ts';
import {
  badRequest,
  conflict,
  invalid,
  notFound,
  StatusError,
  type StatusCause,
} from '../apimachinery/status-error.ts';
import { storageFor } from './storage-for.ts';
import { strategyOf } from './strategies.ts';
import type { World } from './world.ts';

/**
 * Limit for tries of a write without a resourceVersion, when another write happens while webhooks
 * are asked.
 */
const attempts = 5;

export const modified =
  'the object has been modified; please apply your changes to the latest version and try again';

export function* update(
  world: World,
  call: ApiCall,
  warn: Warn | undefined,
): AdmissionSteps<ApiAnswer> {
  const { type, name, options } = call;
  const strategy = strategyOf(type);
  for (let attempt = 1; ; attempt += 1) {
    const located = locate(world, call);
    strategy.refuse?.(call, located?.live);
    const decoded = decodeObject(call.body, {
      type,
      warn: attempt === 1 ? warn : undefined,
      fieldValidation: options.fieldValidation,
      live: located?.live,
    });
    const draft = placed(named(decoded, name), call);
    if (located === undefined) {
      if (!strategy.createsOnUpdate || call.subresource !== '') throw notFound(type, name);
      return yield* createDecoded(world, call, draft);
    }
    checkVersion(draft.metadata, located.live.metadata, call);
    const object = yield* replacement(world, call, located.live, draft);
    const answer = commit(world, call, located, object);
    if (answer !== undefined) return answer;
    if (isVersioned(draft.metadata) || attempt === attempts) throw conflict(type, name, modified);
  }
}

/** An object as it is stored, and as this version of its type shows it. */
export interface Found {
  readonly storage: Storage;
  readonly stored: KubeObject;
  readonly live: Draft;
}

export function locate(world: World, { type, namespace, name }: ApiCall): Found | undefined {
  const storage = storageFor(world, type);
  const stored = world.store.get(storage.type, namespace, name);
  return stored && { storage, stored, live: asDraft(storage.fromStored(stored)) };
}

/** The object to store in place of `live`. `isApplied`: its field owners are known already. */
export function* replacement(
  world: World,
  call: ApiCall,
  live: Draft,
  draft: Draft,
  isApplied = false,
): AdmissionSteps<Draft> {
  const complete = withDefaults(call.type, draft, live);
  const carried = withSystemFieldsOf(complete, live);
  const prepared = prepare(world, call, carried, live);
  const owned = isApplied ? prepared : tracked(world, call, live, prepared);
  const isSame = changesNothing(owned, live);
  const step = { operation: 'UPDATE', call, old: live } as const;
  const admitted = yield* mutated({ ...step, object: isSame ? live : owned });
  if (isSame && admitted === live) {
    yield* validated({ ...step, object: live });
    return live;
  }
  const object =
    admitted === owned ? owned : prepare(world, call, withSystemFieldsOf(admitted, live), live);
  const counted = withGeneration(object, live, call);
  checkFaults(world, call, counted, live);
  yield* validated({ ...step, object: counted });
  return counted;
}

function prepare(world: World, call: ApiCall, object: Draft, live: Draft): Draft {
  const strategy = strategyOf(call.type);
  return call.subresource === 'status'
    ? strategy.prepareStatus(object, live, world)
    : strategy.prepareUpdate(object, live, world);
}

/**
 * Stores the object, or removes it when it only waited for its last finalizer. Undefined: another
 * write came first while webhooks were asked.
 */
export function commit(
  world: World,
  call: ApiCall,
  { storage, stored, live }: Found,
  object: Draft,
): ApiAnswer | undefined {
  const { namespace = '', name } = live.metadata;
  if (world.store.get(storage.type, namespace, name) !== stored) return undefined;
  if (object === live || jsonEqual(object, live)) return { code: 200, body: live };
  checkSize(call, object);
  if (call.options.dryRun === true) return { code: 200, body: object };
  if (isReleased(object, live)) {
    world.store.remove(storage.type, namespace, name);
    return { code: 200, body: object };
  }
  const result = world.store.put(storage.type, storage.toStored(object));
  return { code: 200, body: storage.fromStored(result) };
}

/** store.go ShouldDeleteDuringUpdate. A Namespace has finalizers in its spec as well. */
function isReleased(object: Draft, live: Draft): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = live.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0) return false;
  if ((object.metadata.finalizers ?? []).length > 0) return false;
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return true;
  const { finalizers = [] } = (object.spec ?? {}) as { finalizers?: readonly string[] };
  return finalizers.length === 0;
}

/** Throws StatusError 400 when the object's name or namespace differs from the path. */
function named(object: Draft, name: string): Draft {
  const own = object.metadata.name as string | undefined;
  if (own === name) return object;
  if (own === undefined || own === '') {
    const why = 'was undeterminable: name must be provided';
    throw badRequest(`the name of the object (${name} based on URL) ${why}`);
  }
  throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
}

function isVersioned(meta: StoredMeta): boolean {
  const version = meta.resourceVersion as string | undefined;
  return version !== undefined && version !== '' && version !== '0';
}

/** Throws StatusError 409 when the request is based on another version or another object. */
export function checkVersion(meta: StoredMeta, live: StoredMeta, call: ApiCall): void {
  const { type, name } = call;
  const uid = meta.uid as string | undefined;
  if (call.verb === 'update' && uid !== undefined && uid !== '' && uid !== live.uid) {
    const key = `/registry/${type.plural}/${live.namespace === undefined ? '' : `${live.namespace}/`}${name}`;
    const detail = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.uid}`;
    const error = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${detail}`;
    throw conflict(type, name, error);
  }
  if (!isVersioned(meta)) {
    if (call.verb !== 'update' || strategyOf(type).allowsUnconditionalUpdate) return;
    const fault = invalidField('metadata.resourceVersion', 0, 'must be specified for an update');
    const error = invalid({ ...type, kind: type.plural }, name, [fault]);
    throw error;
  }
  const version = meta.resourceVersion as string;
  if (!/^\d+$/.test(version)) {
    const detail = `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`;
    throw new StatusError(500, '', detail);
  }
  if (version !== live.resourceVersion) throw conflict(type, name, modified);
}

/** Fields that only the sandbox sets are taken from `live`. */
function withSystemFieldsOf(object: Draft, live: Draft): Draft {
  const { metadata: old } = live;
  const { metadata } = object;
  if (metadata === old) return object;
  const uid = (metadata.uid as string | undefined) === undefined ? old.uid : metadata.uid;
  // Fields that a deletion has set stay. Invented ones remain, so that the rules refuse them.
  const kept = withoutMeta(object, 'generation');
  return withMeta(kept, {
    uid,
    resourceVersion: old.resourceVersion,
    ...pick(old, 'creationTimestamp'),
    ...pick(old, 'deletionTimestamp'),
    ...pick(old, 'deletionGracePeriodSeconds'),
    ...pick(old, 'generation'),
  });
}

function pick(meta: StoredMeta, name: keyof StoredMeta): Partial<StoredMeta> {
  return meta[name] === undefined ? {} : { [name]: meta[name] };
}

/** Counts every change outside of metadata and status. */
function withGeneration(object: Draft, live: Draft, { type, subresource }: ApiCall): Draft {
  if (!type.hasGeneration || subresource === 'status') return object;
  if (strategyOf(type).keepsGeneration === true) return object;
  const fields = new Set([...Object.keys(object), ...Object.keys(live)]);
  for (const own of ['apiVersion', 'kind', 'metadata']) fields.delete(own);
  if (type.subresources.includes('status')) fields.delete('status');
  const isSame = [...fields].every((field) => jsonEqual(object[field], live[field]));
  return isSame ? object : withMeta(object, { generation: (live.metadata.generation ?? 0) + 1 });
}

function checkFaults(world: World, call: ApiCall, object: Draft, live: Draft): void {
  const { type, subresource } = call;
  const strategy = strategyOf(type);
  const isStatus = subresource === 'status';
  const own: readonly (readonly StatusCause[] | undefined)[] = isStatus
    ? [strategy.statusFaults?.(object, live)]
    : [strategy.faults?.(object, false), strategy.changeFaults?.(object, live)];
  const { metadata } = object;
  const faults = [
    ...(metadata === live.metadata ? [] : changedMetadataFaults(metadata, live.metadata, call)),
    ...schemaFaults(type, object, live, isStatus ? 'status' : undefined),
    ...own.flatMap((found) => found ?? []),
  ];
  if (faults.length > 0) throw invalid(kindOf(world, object, call), live.metadata.name, faults);
}

function changedMetadataFaults(
  meta: StoredMeta,
  old: StoredMeta,
  { type }: ApiCall,
): readonly StatusCause[] {
  const change = metadataChangeFaults(meta, old);
  // The API server checks this for every kind, and again for each built-in one.
  if (change.length > 0) return type.isBuiltIn ? [...change, ...change] : change;
  const isSame =
    meta.labels === old.labels &&
    meta.annotations === old.annotations &&
    meta.finalizers === old.finalizers &&
    meta.ownerReferences === old.ownerReferences;
  return isSame ? [] : metadataFaults(meta, strategyOf(type).nameRule);
}
