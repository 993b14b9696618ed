/** An object that policies may govern, reduced to what decisions depend on. It is parsed once. */
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

/** The reason why its suspension is not decided by policies. */
export type Untouchable = 'Kueue' | 'ManagedBy' | 'Owned';

export interface GovernedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  /** Generation of its spec, which changes with each suspension and resumption. */
  readonly generation: number;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly suspend: boolean;
  /** It is held so that running parts continue. */
  readonly letsFinish?: true;
  /** It was stopped in another way than its mark says, or by a user after its mark says that nothing is stopped. */
  readonly isSetOtherwise?: true;
  /** While it is suspended, running parts continue and nothing new starts. */
  readonly suspendsStartsOnly?: true;
  /** It has Pods that run or still terminate. */
  readonly isActive: boolean;
  /** It was started once. False: it never ran. */
  readonly hasRun: boolean;
  /** When it was last started. */
  readonly startedAt?: string;
  /** Uid of the policy that suspended it, and the transition that caused it. */
  readonly mark?: string;
  readonly held?: string;
  readonly resumedBy?: string;
  readonly override?: string;
  /** Its placement before a policy's, as noted on it. */
  readonly placed?: string;
  readonly untouchable?: Untouchable;
  /** The CronJob that created it. */
  readonly cronJob?: { readonly name: string; readonly uid: Uid };
}

const known = new WeakMap<KubeObject, GovernedObject | 'none'>();

/** Undefined: it has ended, is being deleted, belongs to an object of Millrace, or no policy governs its kind. */
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

/** A resumed object has only its mark, and not every kind has more than one way to stop. */
export function isSetOtherwise(stop: Stop, mark: string | undefined): boolean {
  const written = readMark(mark)?.stop;
  return stop !== 'nothing' && written !== undefined && written !== stop;
}

const ourOwners: ReadonlySet<string> = new Set(
  workKinds
    .filter(({ isOurs }) => isOurs === true)
    .map(({ resource }) => `${apiVersionOf(resource)} ${resource.kind}`),
);

/** Its owner suspends it. Millrace's own children always have both label and owner reference. */
function isOfOurs(object: KubeObject): boolean {
  const { apiVersion, kind } = controllerOf(object.metadata) ?? {};
  return isControlledByRoot(object) && ourOwners.has(`${apiVersion} ${kind}`);
}

/** Two writers of spec.suspend would never end (kueue, jobframework/reconciler.go). */
function untouchableBy(
  metadata: ObjectMeta,
  spec: JsonObject,
  ownController: string | undefined,
): Untouchable | undefined {
  const { labels = {}, annotations: own = {} } = metadata;
  if ('kueue.x-k8s.io/queue-name' in labels || 'kueue.x-k8s.io/stopping' in own) return 'Kueue';
  if (otherController(spec, ownController) !== undefined) return 'ManagedBy';
  const owner = controllerOf(metadata);
  // A CronJob creates Jobs and leaves them alone; other owners may revert changes of their children.
  return owner === undefined || owner.kind === starterOfJobs.kind ? undefined : 'Owned';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** An object with this member, or without it if there is no value. */
export function textAs<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [Key in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]: string });
}
