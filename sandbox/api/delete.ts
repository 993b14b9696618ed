/** Delete: store.go Delete, rest.BeforeDelete and the finalizers of garbage collection. */
import type { ApiAnswer, ObjectList, SuccessStatus } from './api-answer.ts';
import { validated, type AdmissionSteps } from './admission-step.ts';
import type { ApiCall, CallOptions, Warn } from './api-call.ts';
import { asDraft, withMeta, withoutMeta, type Draft } from './draft.ts';
import { checkNamespaceMayGo } from './namespace-lifecycle.ts';
import { list } from './read.ts';
import { conflict, notFound } from '../apimachinery/status-error.ts';
import { strategyOf } from './strategies.ts';
import type { Strategy } from './strategy.ts';
import { locate, type Found } from './update.ts';
import { timeOf, type World } from './world.ts';
import { parseTime, rfc3339 } from '#shared/domain/time.ts';

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

export function* remove(
  world: World,
  call: ApiCall,
  warn: Warn | undefined,
): AdmissionSteps<ApiAnswer> {
  checkNamespaceMayGo(call);
  for (;;) {
    const found = locate(world, call);
    if (found === undefined) throw notFound(call.type, call.name);
    strategyOf(call.type).refuse?.(call, found.live);
    checkPreconditions(found.live, call);
    yield* validated({ operation: 'DELETE', call, object: undefined, old: found.live });
    if (locate(world, call)?.stored !== found.stored) continue;
    warnOfOrphans(call, warn);
    return removed(world, call, found);
  }
}

/** Deletes each object by its own rules. Answers with the objects as they were. */
export function* removeCollection(
  world: World,
  call: ApiCall,
  warn: Warn | undefined,
): AdmissionSteps<ApiAnswer> {
  const page = list(world, call).body as ObjectList;
  for (const { metadata } of page.items) {
    const { namespace = '', name } = metadata;
    if (locate(world, { ...call, namespace, name }) === undefined) continue;
    yield* remove(world, { ...call, verb: 'delete', namespace, name }, warn);
  }
  return { code: 200, body: page };
}

function removed(world: World, call: ApiCall, found: Found): ApiAnswer {
  const { live } = found;
  const strategy = strategyOf(call.type);
  const grace = graceOf(live, call.options, strategy, world);
  if (grace.isPending) return { code: 200, body: live };
  const finalizers = finalizersAfter(live, call.options, strategy);
  const marked = withFinalizers(grace.object, finalizers);
  const stays = finalizers.length > 0 || holdsBySpec(live);
  if (stays && !grace.isGraceful)
    return kept(world, call, found, markedDeleted(marked, world, strategy));
  if (stays || grace.seconds > 0) return kept(world, call, found, marked);
  return gone(world, call, found, grace.isGraceful ? marked : live);
}

/** If the object had to be marked, as a Pod, its last state is published before the deletion. */
function gone(world: World, call: ApiCall, { storage, live }: Found, marked: Draft): ApiAnswer {
  const { namespace = '', name, uid } = live.metadata;
  let last = marked;
  if (call.options.dryRun !== true) {
    if (marked !== live) world.store.put(storage.type, storage.toStored(marked));
    last = asDraft(world.store.remove(storage.type, namespace, name) ?? marked);
  }
  if (strategyOf(call.type).answersDeleted) return { code: 200, body: storage.fromStored(last) };
  return { code: 200, body: success(call, name, uid) };
}

function success({ type }: ApiCall, name: string, uid: string): SuccessStatus {
  const group = type.group === '' ? {} : { group: type.group };
  const details = { name, ...group, kind: type.plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function kept(
  world: World,
  { options }: ApiCall,
  { storage, live }: Found,
  object: Draft,
): ApiAnswer {
  if (options.dryRun === true || object === live) return { code: 200, body: object };
  const stored = world.store.put(storage.type, storage.toStored(object));
  return { code: 200, body: storage.fromStored(stored) };
}

/** Throws StatusError 409. */
export function checkPreconditions({ metadata }: Draft, { type, name, options }: ApiCall): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const kind = { ...type, plural: type.kind, group: '' };
  if (uid !== undefined && uid !== metadata.uid) {
    const text = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid})`;
    throw conflict(kind, name, `${text}. The object might have been deleted and then recreated`);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const text = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion})`;
    throw conflict(kind, name, `${text}. The object might have been modified`);
  }
}

interface Grace {
  readonly object: Draft;
  /** Whether objects of the kind are deleted gracefully. */
  readonly isGraceful: boolean;
  /** The object is being deleted already. This request does not make it end sooner. */
  readonly isPending: boolean;
  readonly seconds: number;
}

/** rest.BeforeDelete. */
function graceOf(live: Draft, options: CallOptions, strategy: Strategy, world: World): Grace {
  const none = { object: live, isGraceful: false, isPending: false, seconds: 0 };
  if (strategy.gracePeriod === undefined) return none;
  const { deletionTimestamp, deletionGracePeriodSeconds: present } = live.metadata;
  if (deletionTimestamp === undefined) {
    const seconds = strategy.gracePeriod(live, options.gracePeriodSeconds);
    const object = counted(withDeadline(live, world.clock.now(), seconds));
    return { object, isGraceful: true, isPending: false, seconds };
  }
  if (present === undefined) return none;
  const wanted = options.gracePeriodSeconds;
  if (wanted === undefined || wanted >= present) return { ...none, isPending: true };
  const startMs = (parseTime(deletionTimestamp) ?? 0) - present * 1000;
  const seconds = Math.max(0, wanted);
  return {
    object: withDeadline(live, startMs, seconds),
    isGraceful: true,
    isPending: false,
    seconds,
  };
}

function withDeadline(object: Draft, startMs: number, seconds: number): Draft {
  return withMeta(object, {
    deletionTimestamp: rfc3339(startMs + seconds * 1000),
    deletionGracePeriodSeconds: seconds,
  });
}

/** Controllers see the start of a deletion as a new generation. */
function counted(object: Draft): Draft {
  const { generation = 0 } = object.metadata;
  return generation > 0 ? withMeta(object, { generation: generation + 1 }) : object;
}

/** store.go markAsDeleting, for an object that only finalizers keep. */
function markedDeleted(object: Draft, world: World, strategy: Strategy): Draft {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  // A second delete changes nothing that a watch would show.
  if (deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0) return object;
  const isFirst = deletionGracePeriodSeconds === undefined && deletionTimestamp === undefined;
  const marked = isFirst ? counted(object) : object;
  const whole = withMeta(marked, {
    deletionTimestamp: deletionTimestamp ?? timeOf(world),
    deletionGracePeriodSeconds: 0,
  });
  return strategy.markDeleted?.(whole) ?? whole;
}

function withFinalizers(object: Draft, finalizers: readonly string[]): Draft {
  if (finalizers === object.metadata.finalizers) return object;
  if (finalizers.length > 0) return withMeta(object, { finalizers });
  return withoutMeta(object, 'finalizers');
}

/**
 * store.go deletionFinalizersForGarbageCollection. Returns the same reference when nothing changes.
 */
function finalizersAfter(
  { metadata }: Draft,
  options: CallOptions,
  strategy: Strategy,
): readonly string[] {
  const present = metadata.finalizers ?? [];
  const wanted = wantedPolicy(present, options, strategy);
  const others = present.filter((name) => name !== orphan && name !== foreground);
  if (wanted === 'orphan') others.push(orphan);
  if (wanted === 'foreground') others.push(foreground);
  const isSame = others.length === present.length && others.every((name) => present.includes(name));
  return isSame ? present : others;
}

type Policy = 'background' | 'orphan' | 'foreground';

function wantedPolicy(
  present: readonly string[],
  { propagationPolicy }: CallOptions,
  { garbage }: Strategy,
): Policy {
  if (garbage === 'unsupported') return 'background';
  if (propagationPolicy === 'Orphan') return 'orphan';
  if (propagationPolicy === 'Foreground') return 'foreground';
  if (propagationPolicy === 'Background') return 'background';
  if (present.includes(orphan)) return 'orphan';
  if (present.includes(foreground)) return 'foreground';
  return garbage;
}

/** For a Namespace: its content is deleted first. */
function holdsBySpec({ kind, apiVersion, spec }: Draft): boolean {
  if (kind !== 'Namespace' || apiVersion !== 'v1') return false;
  return ((spec as { finalizers?: readonly string[] } | undefined)?.finalizers ?? []).length > 0;
}

function warnOfOrphans({ type, options }: ApiCall, warn: Warn | undefined): void {
  if (type.group !== 'batch' || type.plural !== 'jobs') return;
  if (options.propagationPolicy !== undefined) return;
  const advice =
    'set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';
  warn?.(`child pods are preserved by default when jobs are deleted; ${advice}`);
}
