/** The narrow client that reflector, readers and apply-plan share. Adapters: HTTP, sandbox store. */
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
  /** Empty or absent: the most recent state. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
  readonly signal?: AbortSignal;
}

export interface KubeList {
  readonly resourceVersion: ResourceVersion;
  readonly continue?: string;
  /** With apiVersion and kind, even if the server leaves them out of list items. */
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

/** One line of a watch. `error` carries the Status as a MillraceError, ready to throw. */
export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: ResourceVersion };

export interface WriteOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  /** Called with each warning of the answer, before the write settles. */
  readonly onWarning?: (text: string) => void;
  /** Stops waiting for the answer; a sent request may still be carried out. */
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
  /** 0: at once, even if something still runs. Absent: the object's own value. */
  readonly gracePeriodSeconds?: number;
}

/**
 * Every method throws MillraceError with an MR_API_* code: MR_API_UNREACHABLE (the write may or may not have
 * happened), MR_API_RETRYABLE (429, 5xx; `retryAfterMs` if the server gave it), MR_API_CONFLICT (409;
 * `fields.reason` is `AlreadyExists` or `Conflict`), MR_API_GONE (410), MR_API_FORBIDDEN (403), MR_API_INVALID
 * (400, 422), MR_API_NOT_FOUND (404), MR_API_TOO_LARGE (413, and 500 for an object above the storage limit),
 * MR_API_DENIED (an admission denied it with another status than 400, 403, 413 and 422), MR_API_REFUSED (else). If its
 * `signal` aborts, a get, list, review or create rejects with the signal's reason instead.
 */
export interface KubeClient {
  /** The object, or undefined if there is none (404). */
  get(resource: Resource, name: ObjectName, signal?: AbortSignal): Promise<KubeObject | undefined>;
  list(resource: Resource, options: ListOptions): Promise<KubeList>;
  /**
   * Ends without error when the server closes the stream. Throws MR_API_GONE on 410 (HTTP status or ERROR
   * event), another MR_API_* on other ERROR events, and MR_API_UNREACHABLE on a broken or unparsable stream.
   * An abort of `signal` ends it without error.
   */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent>;
  /** A dry run returns no resourceVersion. Neither does a dry-run `patch` that would create the object. */
  create(resource: Resource, object: NewObject, options?: WriteOptions): Promise<KubeObject>;
  /**
   * The resources of one group and version, `apps/v1` or `v1`, without subresources. Undefined: the API server
   * does not serve this version.
   */
  discover(apiVersion: string, signal?: AbortSignal): Promise<readonly Resource[] | undefined>;
  /**
   * Creates an object that is answered but not stored, such as a SubjectAccessReview. Returns the status of
   * the answer.
   */
  review(resource: Resource, spec: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  patch(
    resource: Resource,
    name: ObjectName,
    patch: JsonObject | readonly JsonObject[],
    options: PatchOptions,
  ): Promise<KubeObject>;
  /** The object if it stays for its finalizers; undefined if it is gone at once. */
  delete(
    resource: Resource,
    name: ObjectName,
    options?: DeleteOptions,
  ): Promise<KubeObject | undefined>;
}
