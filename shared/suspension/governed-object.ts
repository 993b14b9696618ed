/** An object that policies may govern, reduced to what decisions depend on. Parsed once. */
import { isList, isObject } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import {
  apiVersionOf,
  controllerOf,
  type JsonObject,
  type KubeObject,
  type ObjectMeta,
  objectName,
  type ResourceVersion,
  type Uid,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { isControlledByRoot } from '#shared/domain/root-of.ts';
import { type GovernedKind, type Stop, switches } from './governed-kinds.ts';
import { readMark } from './mark.ts';

/** Who else sees to whether it is suspended. */
export type Untouchable = 'Kueue' | 'ManagedBy' | 'Owned';

export interface GovernedObject {
  readonly kind: GovernedKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  /** Of its spec: each suspension and each resumption is another one. */
  readonly generation: number;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly suspend: boolean;
  /** It is held so that what runs of it goes on. */
  readonly letsFinish?: true;
  /** Somebody has stopped it in another way than is written in its mark. */
  readonly isSetOtherwise?: true;
  /** While it is suspended what runs of it goes on, and nothing new starts. */
  readonly suspendsStartsOnly?: true;
  /** It has Pods that run, or that are still terminating. */
  readonly isActive: boolean;
  /** It was started once; false: it never ran. */
  readonly hasRun: boolean;
  /** When it was started last. */
  readonly startedAt?: string;
  /** Uid of the policy that suspended it, and the transition that it did so for. */
  readonly mark?: string;
  readonly held?: string;
  readonly resumedBy?: string;
  readonly override?: string;
  /** Where its Pods could run before a policy placed them, as it is written on it. */
  readonly placed?: string;
  readonly untouchable?: Untouchable;
  /** The CronJob whose run it is. */
  readonly cronJob?: { readonly name: string; readonly uid: Uid };
}

const known = new WeakMap<KubeObject, GovernedObject | 'none'>();

/** Undefined: it has ended, is being deleted, or belongs to a flow or DaemonJob of ours. */
export function governedObject(object: KubeObject): GovernedObject | undefined {
  let found = known.get(object);
  if (found === undefined) {
    found = read(object) ?? 'none';
    known.set(object, found);
  }
  return found === 'none' ? undefined : found;
}

function read(object: KubeObject): GovernedObject | undefined {
  const { metadata } = object;
  const spec = fieldsOf(object.spec);
  const status = fieldsOf(object.status);
  const kind = object.kind as GovernedKind;
  const owner = controllerOf(metadata);
  if (metadata.deletionTimestamp !== undefined || hasEnded(kind, spec, status)) return undefined;
  if (isOfOurs(object)) return undefined;
  const own = metadata.annotations ?? {};
  const started = textOf(status['startTime']);
  const untouchable = untouchableBy(metadata, spec);
  const stop = switches[kind].stopOf(spec);
  const mark = own[annotations.suspendedBy];
  return {
    kind,
    ...objectName(metadata),
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 0,
    createdAt: metadata.creationTimestamp ?? '',
    labels: metadata.labels ?? {},
    suspend: stop !== 'nothing',
    ...(stop === 'starts' ? { letsFinish: true } : {}),
    ...(isSetOtherwise(stop, mark) ? { isSetOtherwise: true } : {}),
    ...(kind === 'JobFlow' && spec['suspendMode'] === 'SchedulingOnly'
      ? { suspendsStartsOnly: true }
      : {}),
    isActive: isActive(kind, status),
    hasRun:
      started !== undefined || ['succeeded', 'failed'].some((count) => isPositive(status[count])),
    ...(started === undefined ? {} : { startedAt: started }),
    ...textAs('mark', mark),
    ...textAs('held', own[annotations.held]),
    ...textAs('resumedBy', own[annotations.resumedBy]),
    ...textAs('override', own[annotations.suspendOverride]),
    ...textAs('placed', own[annotations.placed]),
    ...(untouchable === undefined ? {} : { untouchable }),
    ...(owner?.kind === cronJobKind ? { cronJob: { name: owner.name, uid: owner.uid } } : {}),
  };
}

/** Of what is resumed the mark alone tells; and not every kind knows more than one way. */
function isSetOtherwise(stop: Stop, mark: string | undefined): boolean {
  const written = readMark(mark)?.stop;
  return stop !== 'nothing' && written !== undefined && written !== stop;
}

const cronJobKind = 'CronJob';

const ourOwners: ReadonlySet<string> = new Set(
  [resources.JobFlow, resources.DaemonJob].map(
    (resource) => `${apiVersionOf(resource)} ${resource.kind}`,
  ),
);

/** Its flow or DaemonJob suspends it. An owner reference without the label is none that these have written. */
function isOfOurs(object: KubeObject): boolean {
  const { apiVersion, kind } = controllerOf(object.metadata) ?? {};
  return isControlledByRoot(object) && ourOwners.has(`${apiVersion} ${kind}`);
}

/** Two that write spec.suspend would do so for ever (kueue, jobframework/reconciler.go). */
function untouchableBy(metadata: ObjectMeta, spec: JsonObject): Untouchable | undefined {
  const { labels = {}, annotations: own = {} } = metadata;
  if ('kueue.x-k8s.io/queue-name' in labels || 'kueue.x-k8s.io/stopping' in own) return 'Kueue';
  const { managedBy } = spec;
  if (managedBy !== undefined && managedBy !== 'kubernetes.io/job-controller') return 'ManagedBy';
  const owner = controllerOf(metadata);
  // A CronJob creates Jobs and leaves them alone; others may set their children right.
  return owner === undefined || owner.kind === cronJobKind ? undefined : 'Owned';
}

/** A DaemonJob counts the Jobs that it has suspended as active, and says when none of them runs any more. */
function isActive(kind: GovernedKind, status: JsonObject): boolean {
  if (kind === 'DaemonJob' && hasCondition(status, standing)) return false;
  return ['active', 'terminating', 'running'].some((count) => isPositive(status[count]));
}

/**
 * A DaemonJob that never completes goes on with the next machine, unless it is held: until then it takes no
 * room, and afterwards it is held again where that is to be.
 */
function hasEnded(kind: GovernedKind, spec: JsonObject, status: JsonObject): boolean {
  const isEndless = kind === 'DaemonJob' && spec['completionPolicy'] === 'Never';
  if (isEndless && spec['suspend'] === true) return false;
  if (kind !== 'Job') return status['state'] === 'Succeed' || status['state'] === 'Failed';
  return hasCondition(status, ends);
}

/** Of a DaemonJob whose Jobs are all suspended. */
const standing: ReadonlySet<unknown> = new Set(['Suspended']);

/** Whether one of these conditions is true. */
export function hasCondition(status: JsonObject, types: ReadonlySet<unknown>): boolean {
  const conditions = status['conditions'] ?? null;
  return (
    isList(conditions) &&
    conditions.map(fieldsOf).some(({ type, status: holds }) => types.has(type) && holds === 'True')
  );
}

const ends: ReadonlySet<unknown> = new Set(['Complete', 'Failed']);

export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function isPositive(count: unknown): boolean {
  return typeof count === 'number' && count > 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** An object with this member, or without it where there is no value. */
export function textAs<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [Key in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]: string });
}
