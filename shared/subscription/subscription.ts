/**
 * The declaration of a function for the rest of Millrace. Watch set, routes, indexes, views, sweep, roles,
 * settings and processes derive from the list of subscriptions. Bridge and dispatcher name no kind.
 *
 * Pure. It is beside the function's code and needs nothing from it.
 */
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import type { KindName } from '#shared/domain/kind-name.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { Json, KubeObject, ObjectKey, Resource, Uid } from '#shared/domain/objects.ts';
import type { EventReference } from '#shared/events/event-reference.ts';

export interface Subscription {
  /** Name of the function and its folder. */
  readonly name: string;
  /** The kinds that it decides about: one, or several similar ones. */
  readonly decides: readonly Resource[];
  /** The kinds that belong to it: their definitions, validators and reference pages. */
  readonly kinds: readonly KindDefinition[];
  readonly watches: readonly Watch[];
  /** Children of kinds that are known only at run time. Absent: none. */
  readonly follows?: FollowedKinds;
  /** Whether the object needs a pass even if no event arrives. For the sweep. */
  readonly isUnfinished: (object: KubeObject, seen: SeenObjects, nowMs: number) => boolean;
  /** The function's own rights; the bridge's rights for it follow from `watches`. */
  readonly access: readonly AccessRule[];
}

/** One resource whose changes enqueue work for the function. */
export interface Watch {
  readonly resource: Resource;
  /**
   * `children`: only objects with the owner label (labels.ts). `others`: only objects that the labelled owner does
   * not control. These are watched only once there is something to decide about, because a cluster may have many of
   * them. Absent: every object.
   */
  readonly only?: 'children' | 'others';
  /**
   * The resource may not be served. It is watched once one of these needs exists. If the API server does not know
   * it then, that is not a failure: it is asked again until it does. Absent: it is watched from the start.
   */
  readonly neededBy?: readonly Need[];
  /** Its decisions list all objects of the resource, so the bridge keeps the list for functions that run apart. */
  readonly isListed?: true;
  /**
   * A finalizer keeps it until its owner releases it, even if the owner is gone. Then no unfinished owner is left,
   * so the sweep enqueues work for this object.
   */
  readonly outlivesOwner?: true;
  /** The way from an event's object to the decided objects. */
  readonly leadsTo: 'self' | 'controller' | Index;
  /**
   * The part that the function's decisions can depend on: an update that leaves it unchanged enqueues nothing.
   * Undefined: the object counts as absent.
   */
  readonly fingerprint: (object: KubeObject) => Json | undefined;
  /**
   * The part of the object that views keep. Identity, version, owners and the fingerprint's input must stay. Applying
   * it twice gives the same.
   */
  readonly keep: (object: KubeObject) => KubeObject;
}

/**
 * Children of kinds that objects name. Each kind is watched, by the owner label, while such an object exists. A
 * resource in `watches` is watched as declared there.
 */
export interface FollowedKinds {
  /** The kinds that a decided object names. Empty: it has no such children now. */
  readonly kindsOf: (object: KubeObject) => readonly KindName[];
  /** Kinds that Millrace's own Roles allow. Administrators allow the others of their cluster. */
  readonly usual: readonly Resource[];
  /** As in a watch; they lead to the controller. */
  readonly fingerprint: Watch['fingerprint'];
  readonly keep: Watch['keep'];
}

/** The object that makes a possibly unserved resource necessary. */
export interface Need {
  /** A resource that the same function watches. */
  readonly resource: Resource;
  /** Called with the object as views keep it. */
  readonly when: (object: KubeObject) => boolean;
}

/** Called once for a batch of events, with the current views. It may build an index at its first use. */
export type Index = (seen: SeenObjects) => (event: EventReference) => readonly ObjectKey[];

/** The views of a function's watched resources, as declared, and of no others. */
export interface SeenObjects {
  get(resource: Resource, namespace: string, name: string): KubeObject | undefined;
  /** In no particular order. */
  list(resource: Resource): Iterable<KubeObject>;
  /** Objects whose controller has this uid, in no particular order. */
  listByOwner(resource: Resource, owner: Uid): readonly KubeObject[];
}
