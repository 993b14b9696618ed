/** One request to the sandbox's API after routing, from the HTTP front, the sandbox's clients or its controllers. */
import type { Json } from '#shared/domain/objects.ts';
import type { ResourceType } from '../registry/resource-type.ts';

export type ApiVerb =
  'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export type PatchKind = 'json' | 'merge' | 'strategic' | 'apply';

export interface ApiCall {
  readonly verb: ApiVerb;
  readonly type: ResourceType;
  /** Empty: a cluster-scoped object, or all namespaces for list and watch. */
  readonly namespace: string;
  /** Empty for list, watch, create and deletecollection. */
  readonly name: string;
  /** Empty: the object itself. */
  readonly subresource: string;
  readonly body?: Json;
  readonly patchKind?: PatchKind;
  readonly options: CallOptions;
  /** The user as webhooks see it. The sandbox allows everything to every user. */
  readonly user?: string;
  /** Limit for the written object in bytes of JSON. Absent: no limit. */
  readonly maxStoredBytes?: number;
  /** Field manager of the write when the options name none. Webhooks do not see it. */
  readonly defaultManager?: string;
}

/** Query parameters by their meaning (metav1 ListOptions, CreateOptions, PatchOptions, DeleteOptions). */
export interface CallOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
  readonly timeoutSeconds?: number;
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly dryRun?: boolean;
  /** The manager that owns the written fields. */
  readonly fieldManager?: string;
  readonly force?: boolean;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Warnings beside the object, which the HTTP front sends as Warning headers (RFC 7234, code 299). */
export type Warn = (text: string) => void;
