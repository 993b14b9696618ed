/** Create: k8s.io/apiserver pkg/registry/generic/registry store.go Create and rest.BeforeCreate. */
import type { Storage } from '../registry/type-registry.ts';
import { mutated, validated, type AdmissionSteps } from './admission-step.ts';
import type { ApiAnswer } from './api-answer.ts';
import type { ApiCall, Warn } from './api-call.ts';
import { decodeObject } from './decode.ts';
import { withDefaults } from './defaults.ts';
import { asDraft, withMeta, withoutMeta, type Draft } from './draft.ts';
import { tracked } from './field-owners.ts';
import { metadataFaults, nameRequired } from './metadata-rules.ts';
import { checkSize } from './object-size.ts';
import { checkNamespaceTakes } from './namespace-lifecycle.ts';
import { schemaFaults } from './schema-faults.ts';
import {
  alreadyExists,
  badRequest,
  invalid,
  StatusError,
  type StatusCause,
} from '../apimachinery/status-error.ts';
import { storageFor } from './storage-for.ts';
import { strategyOf } from './strategies.ts';
import { generatedName, newUid, timeOf, type World } from './world.ts';

export function* create(
  world: World,
  call: ApiCall,
  warn: Warn | undefined,
): AdmissionSteps<ApiAnswer> {
  const { type, options } = call;
  strategyOf(type).refuse?.(call, undefined);
  const decoded = decodeObject(call.body, { type, warn, fieldValidation: options.fieldValidation });
  return yield* createDecoded(world, call, decoded);
}

/** `isApplied`: the field owners of the object are known already. */
export function* createDecoded(
  world: World,
  call: ApiCall,
  decoded: Draft,
  isApplied = false,
): AdmissionSteps<ApiAnswer> {
  const { type, options } = call;
  const strategy = strategyOf(type);
  const named = withName(placed(decoded, call), world, call);
  checkNamespaceTakes(world, call, named.metadata.name);
  const complete = withDefaults(type, named, undefined);
  const owned = isApplied ? complete : tracked(world, call, undefined, complete);
  const admitted = strategy.admit?.(owned, world) ?? owned;
  const step = { operation: 'CREATE', call, old: undefined } as const;
  const object = yield* mutated({ ...step, object: admitted });
  if (object.metadata.resourceVersion as string | undefined) {
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  const prepared = strategy.prepareCreate(
    withSystemFields(object, world, type.hasGeneration),
    world,
  );
  const faults = [...createFaults(prepared, call), ...(strategy.faults?.(prepared, true) ?? [])];
  if (faults.length > 0)
    throw invalid(kindOf(world, prepared, call), prepared.metadata.name, faults);
  yield* validated({ ...step, object: prepared });
  return { code: 201, body: stored(world, call, prepared, options.dryRun === true) };
}

/** The kind that faults name: the stored one, or for a custom resource the one that was sent. */
export function kindOf(world: World, { kind }: Draft, { type }: ApiCall): ApiCall['type'] {
  if (type.isBuiltIn) return storageFor(world, type).type;
  return kind === type.kind ? type : { ...type, kind };
}

function createFaults(object: Draft, { type }: ApiCall): readonly StatusCause[] {
  const faults = metadataFaults(object.metadata, strategyOf(type).nameRule);
  return [...faults, ...schemaFaults(type, object, undefined)];
}

function stored(world: World, call: ApiCall, object: Draft, isDryRun: boolean): Draft {
  const storage: Storage = storageFor(world, call.type);
  const { namespace = '', name } = object.metadata;
  const present = world.store.get(storage.type, namespace, name);
  if (present !== undefined) throw taken(asDraft(present), call.type);
  checkSize(call, object);
  if (isDryRun) return object;
  const result = world.store.put(storage.type, storage.toStored(object));
  return asDraft(storage.fromStored(result));
}

function taken({ metadata }: Draft, type: ApiCall['type']): Error {
  const error = alreadyExists(type, metadata.name);
  if (metadata.deletionTimestamp === undefined) return error;
  const message = `object is being deleted: ${error.message}`;
  return new StatusError(error.code, error.reason, message, error.details);
}

/** Sets the namespace of the path. Throws StatusError 400 when the object names another one. */
export function placed(object: Draft, { type, namespace }: ApiCall): Draft {
  const own = object.metadata.namespace ?? '';
  if (!type.namespaced) return own === '' ? object : withoutMeta(object, 'namespace');
  if (own === namespace) return object;
  if (own === '') return withMeta(object, { namespace });
  throw badRequest(
    'the namespace of the provided object does not match the namespace sent on the request',
  );
}

/** Limit for tries to generate a free name (KEP-4420). */
const nameAttempts = 8;

function withName(object: Draft, world: World, call: ApiCall): Draft {
  const { name, generateName = '' } = object.metadata as { name?: string; generateName?: string };
  if (name !== undefined && name !== '') return object;
  if (generateName === '') throw invalid(call.type, '', [nameRequired]);
  const storage = storageFor(world, call.type);
  let generated = '';
  for (let attempt = 0; attempt < nameAttempts; attempt += 1) {
    generated = generatedName(generateName, world);
    if (world.store.get(storage.type, call.namespace, generated) === undefined) break;
  }
  return withMeta(object, { name: generated });
}

function withSystemFields(object: Draft, world: World, hasGeneration: boolean): Draft {
  const clean = withoutMeta(object, 'deletionTimestamp', 'deletionGracePeriodSeconds');
  return withMeta(clean, {
    uid: newUid(world) as Draft['metadata']['uid'],
    creationTimestamp: timeOf(world),
    ...(hasGeneration ? { generation: 1 } : {}),
  });
}
