/** Maps each call to the steps that answer it. */
import type { AdmissionSteps } from './admission-step.ts';
import type { ApiAnswer } from './api-answer.ts';
import type { ApiCall, Warn } from './api-call.ts';
import { create } from './create.ts';
import { remove, removeCollection } from './delete.ts';
import { patch } from './patch.ts';
import { get, list } from './read.ts';
import { qualified, StatusError } from '../apimachinery/status-error.ts';
import { evict } from './eviction.ts';
import { bind, finalize, scale } from './subresources.ts';
import { update } from './update.ts';
import type { World } from './world.ts';

/** Throws StatusError, with 404 for a subresource that the type does not have. */
export function* answer(
  world: World,
  call: ApiCall,
  warn: Warn | undefined,
): AdmissionSteps<ApiAnswer> {
  if (call.subresource !== '') return yield* answerSubresource(world, call, warn);
  switch (call.verb) {
    case 'get':
      return get(world, call);
    case 'list':
      return list(world, call);
    case 'create':
      return yield* create(world, call, warn);
    case 'update':
      return yield* update(world, call, warn);
    case 'patch':
      return yield* patch(world, call, warn);
    case 'delete':
      return yield* remove(world, call, warn);
    case 'deletecollection':
      return yield* removeCollection(world, call, warn);
    case 'watch':
      throw unsupported(call);
  }
}

function* answerSubresource(
  world: World,
  call: ApiCall,
  warn: Warn | undefined,
): AdmissionSteps<ApiAnswer> {
  const { type, verb, subresource } = call;
  const known = type.subresources as readonly string[];
  if (subresource === 'finalize' && type.group === '' && type.plural === 'namespaces') {
    if (verb === 'update') return yield* finalize(world, call);
    throw unsupported(call);
  }
  if (!known.includes(subresource)) throw unknownPath();
  switch (`${verb} ${subresource}`) {
    case 'get status':
      return get(world, call);
    case 'update status':
      return yield* update(world, call, warn);
    case 'patch status':
      return yield* patch(world, call, warn);
    case 'get scale':
    case 'update scale':
    case 'patch scale':
      return yield* scale(world, call);
    case 'create binding':
      return bind(world, call);
    case 'create eviction':
      return yield* evict(world, call);
    default:
      throw unsupported(call);
  }
}

function unknownPath(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

function unsupported({ verb, type }: ApiCall): StatusError {
  const message = `${verb} is not supported on resources of kind "${qualified(type)}"`;
  const group = type.group === '' ? {} : { group: type.group };
  return new StatusError(405, 'MethodNotAllowed', message, { ...group, kind: type.plural });
}
