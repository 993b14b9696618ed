/**
 * The peculiarities of one kind: the strategies of the API server's registries (k8s.io/apiserver
 * pkg/registry/rest), reduced to what the sandbox simulates.
 */
import type { ApiCall } from './api-call.ts';
import type { Draft } from './draft.ts';
import { withFieldOf } from './draft.ts';
import { subdomainFault, type NameRule } from '../apimachinery/names.ts';
import type { StatusCause } from '../apimachinery/status-error.ts';
import type { World } from './world.ts';

export interface Strategy {
  readonly nameRule: NameRule;
  /** A PUT without resourceVersion replaces the object, whatever its version. */
  readonly allowsUnconditionalUpdate: boolean;
  /** The generation never changes. */
  readonly keepsGeneration?: true;
  /** A PUT creates the object if it is missing. */
  readonly createsOnUpdate: boolean;
  /** Default treatment of dependents in a delete. */
  readonly garbage: 'background' | 'orphan' | 'unsupported';
  /** A delete that takes effect at once answers with the object instead of a Status. */
  readonly answersDeleted: boolean;
  /** Throws StatusError for a call that is not simulated or never allowed. */
  readonly refuse?: (call: ApiCall, live: Draft | undefined) => void;
  /**
   * Applied to the decoded object on every write. Returns the same reference when nothing is
   * missing.
   */
  readonly defaults?: (object: Draft) => Draft;
  /** Additions of built-in admission plugins on create. */
  readonly admit?: (object: Draft, world: World) => Draft;
  /** uid, name and times are set already. */
  readonly prepareCreate: (object: Draft, world: World) => Draft;
  readonly prepareUpdate: (object: Draft, old: Draft, world: World) => Draft;
  /** Turns an object that was sent to /status into the one to store. */
  readonly prepareStatus: (object: Draft, old: Draft, world: World) => Draft;
  readonly faults?: (object: Draft, isCreate: boolean) => readonly StatusCause[];
  readonly changeFaults?: (object: Draft, old: Draft) => readonly StatusCause[];
  readonly statusFaults?: (object: Draft, old: Draft) => readonly StatusCause[];
  /** Seconds until a deleted object is gone. Only for kinds with graceful deletion. */
  readonly gracePeriod?: (object: Draft, requested: number | undefined) => number;
  /** Changes by a delete to an object that its finalizers keep. */
  readonly markDeleted?: (object: Draft) => Draft;
}

/** For a kind whose status belongs to its controller: create and update ignore the status. */
export const ownStatus: Strategy = {
  nameRule: subdomainFault,
  allowsUnconditionalUpdate: true,
  createsOnUpdate: false,
  garbage: 'background',
  answersDeleted: false,
  prepareCreate: (object) => object,
  prepareUpdate: (object, old) => withFieldOf(object, 'status', old),
  prepareStatus: (object, old) => statusOnly(object, old),
};

/** For a kind without a status subresource. */
export const plain: Strategy = { ...ownStatus, prepareUpdate: (object) => object };

/**
 * Takes status and metadata from the request, and all else from `old`, as most built-in kinds do.
 */
export function statusOnly(object: Draft, old: Draft): Draft {
  return withFieldOf({ ...old, metadata: object.metadata }, 'status', object);
}
