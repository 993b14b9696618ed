/** An object that policies may govern, reduced to what decisions depend on. Parsed once. */
import { governedKindNamed } from '#shared/api/work/governed-kinds.ts';
import { starterOfJobs } from '#shared/api/work/job.ts';
import { otherController } from '#shared/api/work/managed-by.ts';
import { hasStarted } from '#shared/api/work/progress.ts';
import { workKinds } from '#shared/api/work/work-kinds.ts';
import type { Stop } from '#shared/api/work/work-kind.ts';
import { fieldsOf } from '#shared/domain/json-value.ts';
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
import { isControlledByRoot } from '#shared/domain/root-of.ts';
import { readMark } from './mark.ts';

/** Who else sees to whether it is suspended. */
export type Untouchable = 'Kueue' | 'ManagedBy' | 'Owned';

export interface GovernedObject {
  readonly kind: string;
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

/** Undefined: it has ended, is being deleted, belongs to an object of ours, or is of a kind that no policy governs. */
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
  const { kind } = object;
  const suspension = governedKindNamed(kind)?.suspension;
  const state = { spec, status };
  if (suspension === undefined || suspension.hasEnded(state)) return undefined;
  if (metadata.deletionTimestamp !== undefined || isOfOurs(object)) return undefined;
  const owner = controllerOf(metadata);
  const own = metadata.annotations ?? {};
  const started = textOf(status['startTime']);
  const untouchable = untouchableBy(metadata, spec, suspension.ownController);
  const stop = suspension.stopOf(spec);
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
    ...(suspension.stopsOnlyStarts?.(state) === true ? { suspendsStartsOnly: true } : {}),
    isActive: suspension.isActive(state),
    hasRun: suspension.hasRun?.(state) ?? hasStarted(status),
    ...(started === undefined ? {} : { startedAt: started }),
    ...textAs('mark', mark),
    ...textAs('held', own[annotations.held]),
    ...textAs('resumedBy', own[annotations.resumedBy]),
    ...textAs('override', own[annotations.suspendOverride]),
    ...textAs('placed', own[annotations.placed]),
    ...(untouchable === undefined ? {} : { untouchable }),
    ...(owner?.kind === starterOfJobs.kind
      ? { cronJob: { name: owner.name, uid: owner.uid } }
      : {}),
  };
}

/** Of what is resumed the mark alone tells; and not every kind knows more than one way. */
function isSetOtherwise(stop: Stop, mark: string | undefined): boolean {
  const written = readMark(mark)?.stop;
  return stop !== 'nothing' && written !== undefined && written !== stop;
}

const ourOwners: ReadonlySet<string> = new Set(
  workKinds
    .filter(({ isOurs }) => isOurs === true)
    .map(({ resource }) => `${apiVersionOf(resource)} ${resource.kind}`),
);

/** Its owner suspends it. An owner reference without the label is none that these have written. */
function isOfOurs(object: KubeObject): boolean {
  const { apiVersion, kind } = controllerOf(object.metadata) ?? {};
  return isControlledByRoot(object) && ourOwners.has(`${apiVersion} ${kind}`);
}

/** Two that write spec.suspend would do so for ever (kueue, jobframework/reconciler.go). */
function untouchableBy(
  metadata: ObjectMeta,
  spec: JsonObject,
  ownController: string | undefined,
): Untouchable | undefined {
  const { labels = {}, annotations: own = {} } = metadata;
  if ('kueue.x-k8s.io/queue-name' in labels || 'kueue.x-k8s.io/stopping' in own) return 'Kueue';
  if (otherController(spec, ownController) !== undefined) return 'ManagedBy';
  const owner = controllerOf(metadata);
  // A CronJob creates Jobs and leaves them alone; others may set their children right.
  return owner === undefined || owner.kind === starterOfJobs.kind ? undefined : 'Owned';
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
