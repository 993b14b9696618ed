/** The narrow client that reflector, readers and apply-plan share; adapters: HTTP, sandbox store. */
import type {
  JsonObject,
  KubeObject,
  NewObject,
  ObjectName,
  Resource,
  ResourceVersion,
  Uid,
} from '#shared/domain/objects.ts';

export interface ListOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  /** Empty, as absent: the most recent state. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
  readonly signal?: AbortSignal;
}

export interface KubeList {
  readonly resourceVersion: ResourceVersion;
  readonly continue?: string;
  /** apiVersion and kind are filled in, also where the server leaves them out of list items. */
  readonly items: readonly KubeObject[];
}

export interface WatchOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion: string;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** One line of a watch. `error` carries the Status as a thrown-ready MillraceError. */
export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: ResourceVersion };

export interface WriteOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  /** Called with each warning of the answer, before the write fulfils or is refused. */
  readonly onWarning?: (text: string) => void;
  /** Stops waiting for the answer; what was sent may be carried out nevertheless. */
  readonly signal?: AbortSignal;
}

export interface PatchOptions extends WriteOptions {
  readonly type: 'merge' | 'apply' | 'json';
  readonly subresource?: 'status';
  /** Only for `apply`. */
  readonly force?: boolean;
}

export interface DeleteOptions {
  readonly uid?: Uid;
  readonly resourceVersion?: ResourceVersion;
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan';
  /** 0: at once, whatever still runs. Absent: as the object says. */
  readonly gracePeriodSeconds?: number;
}

/**
 * Every method throws MillraceError with an MR_API_* code: MR_API_UNREACHABLE (the write may or may
 * not have happened), MR_API_RETRYABLE (429, 5xx; `retryAfterMs` set when the server named it),
 * MR_API_CONFLICT (409; `fields.reason` is `AlreadyExists` or `Conflict`), MR_API_GONE (410),
 * MR_API_FORBIDDEN (403), MR_API_INVALID (400, 422), MR_API_NOT_FOUND (404), MR_API_TOO_LARGE (413,
 * and 500 where the object is larger than what is stored), MR_API_REFUSED (else).
 * The abort of a get, list, review or create by its `signal` rejects with the signal's reason instead.
 */
export interface KubeClient {
  /** The object, or undefined when there is none (404). */
  get(resource: Resource, name: ObjectName, signal?: AbortSignal): Promise<KubeObject | undefined>;
  list(resource: Resource, options: ListOptions): Promise<KubeList>;
  /**
   * Ends without error when the server closes the stream; throws MR_API_GONE on 410 (HTTP status or
   * ERROR event), another MR_API_* on other ERROR events, and MR_API_UNREACHABLE on a broken or
   * unparsable stream. An abort of `signal` ends it without error.
   */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent>;
  /** What a dry run gives has no resourceVersion, nor has what it would have created by `patch`. */
  create(resource: Resource, object: NewObject, options?: WriteOptions): Promise<KubeObject>;
  /**
   * The resources of one group and version, `apps/v1` or `v1`, without subresources. Undefined: the API server
   * serves no such version.
   */
  discover(apiVersion: string, signal?: AbortSignal): Promise<readonly Resource[] | undefined>;
  /** Asks what is answered and stored nowhere, such as a SubjectAccessReview: the status of the answer. */
  review(resource: Resource, spec: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  patch(
    resource: Resource,
    name: ObjectName,
    patch: JsonObject | readonly JsonObject[],
    options: PatchOptions,
  ): Promise<KubeObject>;
  /** The object when it stays until its finalizers are done, undefined when it is gone at once. */
  delete(
    resource: Resource,
    name: ObjectName,
    options?: DeleteOptions,
  ): Promise<KubeObject | undefined>;
}
