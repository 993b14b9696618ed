/** One request to the sandbox's API after routing: what HTTP front, own clients and controllers send. */
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
  /** Who calls, as webhooks get it; the sandbox allows everything to everybody. */
  readonly user?: string;
  /** Most bytes of JSON that the written object may have; absent: nobody counts. */
  readonly maxStoredBytes?: number;
  /** Owns what is written when the options name no manager; webhooks do not get it. */
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
  /** Who owns the fields that are written. */
  readonly fieldManager?: string;
  readonly force?: boolean;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Beside the object: what the HTTP front sends as Warning headers (RFC 7234, code 299). */
export type Warn = (text: string) => void;
