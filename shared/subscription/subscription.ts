/**
 * All that the house needs to know of a function to feed it. Watch set, routes, indexes, views, sweep,
 * roles, settings and processes derive from the list of these; bridge and dispatcher name no kind.
 *
 * Pure, and beside the function's code, of which it needs nothing.
 */
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import type { KindName } from '#shared/domain/kind-name.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { Json, KubeObject, ObjectKey, Resource, Uid } from '#shared/domain/objects.ts';
import type { EventReference } from '#shared/events/event-reference.ts';

export interface Subscription {
  /** Of the function and of its folder. */
  readonly name: string;
  /** The kinds that it decides about: one, or several that differ in little. */
  readonly decides: readonly Resource[];
  /** The kinds that come with it: their definitions, validators and reference pages. */
  readonly kinds: readonly KindDefinition[];
  readonly watches: readonly Watch[];
  /** Children of kinds that are known only at run time. Absent: there are none. */
  readonly follows?: FollowedKinds;
  /** Whether somebody has to look at the object even if no event arrives. For the sweep. */
  readonly isUnfinished: (object: KubeObject, seen: SeenObjects, nowMs: number) => boolean;
  /** What the function itself may do; what the bridge may do for it follows from `watches`. */
  readonly access: readonly AccessRule[];
}

/** One resource that wakes the function. */
export interface Watch {
  readonly resource: Resource;
  /**
   * `children`: only what carries the owner label (labels.ts). `others`: only what the owner that the label names
   * does not control. Others are followed from the moment on that there is something to decide about, since a
   * cluster may have many of them and no function that needs them. Absent: every object.
   */
  readonly only?: 'children' | 'others';
  /**
   * What serves the resource need not be installed. It is followed from the moment on that something needs it;
   * and that the API server does not know it is no failure then: it is asked again until it does. Absent: it
   * is followed from the beginning.
   */
  readonly neededBy?: readonly Need[];
  /** Its decisions list all objects of the resource: the bridge keeps the list for functions that run apart. */
  readonly isListed?: true;
  /**
   * A finalizer keeps it until its owner lets it go, also when the owner is gone: then no object is left that could
   * count as unfinished, and the sweep wakes by this one.
   */
  readonly outlivesOwner?: true;
  /** How an event's object leads to the objects that are decided about. */
  readonly leadsTo: 'self' | 'controller' | Index;
  /**
   * What of the object the function's decisions can depend on: an update that leaves it as it was
   * wakes nobody. Undefined: the object is as if it were not there.
   */
  readonly fingerprint: (object: KubeObject) => Json | undefined;
  /**
   * What views keep of the object. Its identity, version and owners have to stay, and what the
   * fingerprint reads. Applied twice it equals itself applied once.
   */
  readonly keep: (object: KubeObject) => KubeObject;
}

/**
 * Children of kinds that objects name. Each kind is followed, by the owner label, from the first such object on and
 * while there is one. What is among `watches` is followed as they say.
 */
export interface FollowedKinds {
  /** The kinds that an object names which is decided about. None: it has no such children now. */
  readonly kindsOf: (object: KubeObject) => readonly KindName[];
  /** Those that our own Roles allow; what a cluster brings besides, its administrator allows. */
  readonly usual: readonly Resource[];
  /** As those of a watch; they lead to the controller. */
  readonly fingerprint: Watch['fingerprint'];
  readonly keep: Watch['keep'];
}

/** What there has to be an object of, so that a resource which need not be served matters. */
export interface Need {
  /** One that the same function watches. */
  readonly resource: Resource;
  /** Asked with the object as it is kept. */
  readonly when: (object: KubeObject) => boolean;
}

/** Asked once for a batch of events, with the views as they are then; it may build an index at first use. */
export type Index = (seen: SeenObjects) => (event: EventReference) => readonly ObjectKey[];

/** The views of what a function watches, as it declared them. Nothing of other resources. */
export interface SeenObjects {
  get(resource: Resource, namespace: string, name: string): KubeObject | undefined;
  /** In no particular order. */
  list(resource: Resource): Iterable<KubeObject>;
  /** Those whose controller has this uid, in no particular order. */
  listByOwner(resource: Resource, owner: Uid): readonly KubeObject[];
}
