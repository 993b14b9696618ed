import type { KubeObject, ObjectName, Uid, Resource } from '#shared/domain/objects.ts';
import type { KindName } from '#shared/domain/kind-name.ts';

/**
 * The only reads of a function. A stale answer is harmless: names lock creates, and the resourceVersion guards
 * status writes. Adapters: the API server, and the bridge's view with the API server behind it.
 */
export interface Reader {
  /**
   * `controller`: only an object with this controller uid is wanted. If a view has another one under this name, it
   * may be behind, and the API server is asked. That answer is returned, whatever its controller. `now`: the
   * current state of the API server.
   */
  get(
    kind: Resource,
    name: ObjectName,
    controller?: Uid,
    asOf?: 'now',
  ): Promise<KubeObject | undefined>;
  /**
   * All objects of the resource in all namespaces, in no particular order. `now`: the current state of the API
   * server, for irreversible writes.
   */
  list(resource: Resource, asOf?: 'now'): Promise<readonly KubeObject[]>;
  /**
   * Children whose controller has this uid, in no particular order. `now`: the current state of the API server,
   * limited by the field selector.
   */
  listByOwner(
    kind: Resource,
    owner: { readonly namespace: string; readonly uid: Uid },
    now?: { readonly fieldSelector: string },
  ): Promise<readonly KubeObject[]>;
  /**
   * Grandchildren: the objects that these children of the root control, in no particular order. All carry the
   * root's uid as a label, so that one request finds them.
   */
  listByOwners(
    kind: Resource,
    root: { readonly namespace: string; readonly uid: Uid },
    children: readonly Uid[],
  ): Promise<readonly KubeObject[]>;
  /**
   * All objects with the root's uid as a label, with any controller, in no particular order. Absent: not supported.
   */
  listByRoot?(
    kind: Resource,
    root: { readonly namespace: string; readonly uid: Uid },
  ): Promise<readonly KubeObject[]>;
  /** The served resource of a kind. Undefined: it is not served. Absent: not supported. */
  resourceOf?(kind: KindName): Promise<Resource | undefined>;
  /**
   * Current core Events about the object with this uid, at most a page, in no particular order. Absent: not
   * supported.
   */
  eventsAbout?(about: {
    readonly namespace: string;
    readonly uid: Uid;
  }): Promise<readonly KubeObject[]>;
  /**
   * Former children of this owner. One that the list lacks was removed, has lost its label, or the view is behind.
   * Undefined: unknown.
   */
  onceThere?(kind: Resource, owner: Uid): OnceThere | undefined;
  /**
   * Reads of the resource include everything committed until then, in monotonic milliseconds. -Infinity or absent:
   * unknown.
   */
  currentAsOfMs?(resource: Resource): number;
  /**
   * A reader for one round of deciding about this object. Its views of the object and its children are of one
   * moment, which `currentAsOfMs` returns. Absent: the views are this process's own.
   */
  ofOneMoment?(root: Uid): Promise<Reader>;
  /** Whether own writes show that reads of the resource are at most a moment old. Absent: unknown. */
  isCurrent?(resource: Resource): boolean;
  /**
   * When the API server was asked for this object, in monotonic milliseconds. Undefined: it came from elsewhere.
   * Absent: there is only one source.
   */
  servedAtMs?(object: KubeObject): number | undefined;
}

export interface OnceThere {
  /** As from `traceOf`. Traces of listed objects may be left out. */
  readonly traces: readonly string[];
  /** Each removal leaves a trace. */
  readonly isWhole: boolean;
}
