import type { KubeObject, ObjectName, Uid, Resource } from '#shared/domain/objects.ts';
import type { KindName } from '#shared/domain/kind-name.ts';

/**
 * The only reads of a function. A stale answer is harmless (creates are locked by name, status
 * writes by resourceVersion); adapters: the API server, the bridge's view with the API server behind.
 */
export interface Reader {
  /**
   * With `controller`, one is meant whose controller has this uid. Another one of this name in a view
   * that is behind says nothing about it, so that the API server is asked; what that holds is
   * returned, whosever it is. `now`: as the API server has it.
   */
  get(
    kind: Resource,
    name: ObjectName,
    controller?: Uid,
    asOf?: 'now',
  ): Promise<KubeObject | undefined>;
  /**
   * Every object of the resource, in all namespaces and in no particular order. `now`: as the API server has
   * them, for what cannot be taken back.
   */
  list(resource: Resource, asOf?: 'now'): Promise<readonly KubeObject[]>;
  /**
   * Children whose controller is the owner with this uid, in no particular order. `now`: as the API server has
   * them, those that the field selector selects.
   */
  listByOwner(
    kind: Resource,
    owner: { readonly namespace: string; readonly uid: Uid },
    now?: { readonly fieldSelector: string },
  ): Promise<readonly KubeObject[]>;
  /**
   * Grandchildren: what these children of the root control, in no particular order. All of it carries
   * the root's uid as a label, so that one request finds it.
   */
  listByOwners(
    kind: Resource,
    root: { readonly namespace: string; readonly uid: Uid },
    children: readonly Uid[],
  ): Promise<readonly KubeObject[]>;
  /**
   * All that carries the root's uid as a label, whatever controls it, in no particular order. Absent: nobody can be
   * asked.
   */
  listByRoot?(
    kind: Resource,
    root: { readonly namespace: string; readonly uid: Uid },
  ): Promise<readonly KubeObject[]>;
  /** As the API server serves the kind. Undefined: it serves none of this name. Absent: nobody can be asked. */
  resourceOf?(kind: KindName): Promise<Resource | undefined>;
  /**
   * Core Events about the object with this uid, as the API server has them, a page of them at most and in no
   * particular order. Absent: nobody can be asked.
   */
  eventsAbout?(about: {
    readonly namespace: string;
    readonly uid: Uid;
  }): Promise<readonly KubeObject[]>;
  /**
   * Children of this owner that were there once. One that the list of them lacks has been removed, or has lost its
   * label, or the view is behind. Undefined: nothing is known of what was there.
   */
  onceThere?(kind: Resource, owner: Uid): OnceThere | undefined;
  /**
   * What this gives of the resource holds all that was committed until then, monotonic milliseconds;
   * -Infinity: nobody knows. Absent: likewise.
   */
  currentAsOfMs?(resource: Resource): number;
  /**
   * A reader for one round of deciding about this object: what its views give of it and of its children is of one
   * moment, of which `currentAsOfMs` tells. Absent: the views are this process's own.
   */
  ofOneMoment?(root: Uid): Promise<Reader>;
  /**
   * Own writes show that what is read here of the resource is the state of a moment ago. Absent: nobody knows.
   */
  isCurrent?(resource: Resource): boolean;
  /**
   * When the API server was asked for this object, monotonic milliseconds; undefined: it came from elsewhere.
   * Absent: everything comes from one place, whichever that is.
   */
  servedAtMs?(object: KubeObject): number | undefined;
}

export interface OnceThere {
  /** As `traceOf`. Those of what the list here holds may be left out. */
  readonly traces: readonly string[];
  /** Each removal leaves one. */
  readonly isWhole: boolean;
}
