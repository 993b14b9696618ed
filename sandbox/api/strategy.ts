/**
 * What one kind does differently from the others: the strategies of the API server's registries
 * (k8s.io/apiserver pkg/registry/rest), reduced to what the sandbox simulates.
 */
import type { ApiCall } from './api-call.ts';
import type { Draft } from './draft.ts';
import { withFieldOf } from './draft.ts';
import { subdomainFault, type NameRule } from '../apimachinery/names.ts';
import type { StatusCause } from '../apimachinery/status-error.ts';
import type { World } from './world.ts';

export interface Strategy {
  readonly nameRule: NameRule;
  /** A PUT without resourceVersion replaces whatever is there. */
  readonly allowsUnconditionalUpdate: boolean;
  /** The generation of the first day stays, whatever changes. */
  readonly keepsGeneration?: true;
  /** A PUT of a name that is not there creates it. */
  readonly createsOnUpdate: boolean;
  /** What becomes of dependents when a delete does not say. */
  readonly garbage: 'background' | 'orphan' | 'unsupported';
  /** A delete that takes effect at once is answered by the object instead of a Status. */
  readonly answersDeleted: boolean;
  /** Throws StatusError for what is not simulated or never allowed. */
  readonly refuse?: (call: ApiCall, live: Draft | undefined) => void;
  /** Applied to what was decoded, on every write. The same reference when nothing is missing. */
  readonly defaults?: (object: Draft) => Draft;
  /** What built-in admission plugins add on create. */
  readonly admit?: (object: Draft, world: World) => Draft;
  /** uid, name and times are set already. */
  readonly prepareCreate: (object: Draft, world: World) => Draft;
  readonly prepareUpdate: (object: Draft, old: Draft, world: World) => Draft;
  /** From what was sent to /status to what is stored. */
  readonly prepareStatus: (object: Draft, old: Draft, world: World) => Draft;
  readonly faults?: (object: Draft, isCreate: boolean) => readonly StatusCause[];
  readonly changeFaults?: (object: Draft, old: Draft) => readonly StatusCause[];
  readonly statusFaults?: (object: Draft, old: Draft) => readonly StatusCause[];
  /** Seconds until a deleted object is gone; only of kinds that end gracefully. */
  readonly gracePeriod?: (object: Draft, requested: number | undefined) => number;
  /** What a delete changes of an object that stays for its finalizers. */
  readonly markDeleted?: (object: Draft) => Draft;
}

/** Of a kind whose status belongs to its controller: ignored on create and update. */
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

/** Of a kind without status subresource. */
export const plain: Strategy = { ...ownStatus, prepareUpdate: (object) => object };

/** The spec and all else of `old`, status and metadata as sent; as most built-in kinds do it. */
export function statusOnly(object: Draft, old: Draft): Draft {
  return withFieldOf({ ...old, metadata: object.metadata }, 'status', object);
}
