/**
 * The writes that a decision wants, as data.
 *
 * plan-1 Stages run in order. The operations of one stage are independent and may run at once.
 * plan-2 Applying a plan twice equals applying it once (law 5). Every create has a deterministic name. Every delete and
 *    patch carries the uid, and the status patch carries the resourceVersion that was decided on.
 * plan-3 The status patch of the decided object is the last write, after those of other objects. An Event comes before
 *    the write after which it would not be decided again: the status patch, or that of the object it reports. Its name
 *    is derived, so a crash in between repeats it without a duplicate, and none is lost.
 */
import type {
  JsonObject,
  NewObject,
  ObjectName,
  ResourceVersion,
  Uid,
  Resource,
} from './objects.ts';

/**
 * Creates a child. If the name is taken, the uid of the controller owner decides. A child of this owner is adopted. A
 * foreign one is reported as a name conflict and never touched. The same holds for a child of this owner that is for
 * another machine.
 */
export interface CreateOperation {
  readonly kind: 'create';
  readonly resource: Resource;
  readonly object: NewObject;
  readonly ownerUid: Uid;
}

/** A JSON merge patch (RFC 7386) on the object with this uid. A vanished object is no error. */
export interface PatchOperation {
  readonly kind: 'patch';
  readonly resource: Resource;
  readonly target: ObjectName;
  readonly uid: Uid;
  /** If given, only this version is patched. A conflict makes the whole key be decided again. */
  readonly resourceVersion?: ResourceVersion;
  readonly patch: JsonObject;
  /**
   * No later decision could correct this patch. Afterwards the object vanishes by itself (a TTL), or stays suspended
   * because its flow is over and no longer looked at. Or Pods start at once, for which there may be no quota.
   */
  readonly isFinal?: true;
}

/** A merge patch on the status subresource. A conflict makes the whole key be decided again. */
export interface PatchStatusOperation {
  readonly kind: 'patchStatus';
  readonly resource: Resource;
  readonly target: ObjectName;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  readonly status: JsonObject;
  /**
   * Other controllers act on it at once, irreversibly: for example on a quota that is given back. Absent: a later write
   * can correct it.
   */
  readonly isFinal?: true;
}

/** Deletes the object with this uid. A vanished or replaced object is no error. */
export interface DeleteOperation {
  readonly kind: 'delete';
  readonly resource: Resource;
  readonly target: ObjectName;
  readonly uid: Uid;
  /** If given, only this version is deleted. A conflict makes the whole key be decided again. */
  readonly resourceVersion?: ResourceVersion;
  readonly propagation: 'Foreground' | 'Background' | 'Orphan';
  /** 0: at once, even if something still runs. Absent: the object's own value. */
  readonly gracePeriodSeconds?: number;
}

/** A Kubernetes Event on the owner. Its name is derived, so repeating it creates no second one. */
export interface EmitEventOperation {
  readonly kind: 'emitEvent';
  readonly regarding: ObjectName & {
    readonly apiVersion: string;
    readonly kind: string;
    readonly uid: Uid;
  };
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, machine-readable. */
  readonly reason: string;
  /** CamelCase verb: what the controller did. */
  readonly action: string;
  /** Below 1 kB, for people. */
  readonly note: string;
  /** Distinguishes Events with the same reason (an attempt, a step). Part of the derived name. */
  readonly occurrence: string;
}

export type Operation =
  CreateOperation | PatchOperation | PatchStatusOperation | DeleteOperation | EmitEventOperation;

export type Stage = readonly Operation[];
export type Plan = readonly Stage[];

/** The change by the status patch; undefined if the plan has no status patch. */
export function statusPatchOf(plan: Plan): JsonObject | undefined {
  const write = plan.at(-1)?.find(({ kind }) => kind === 'patchStatus');
  return write?.kind === 'patchStatus' ? write.status : undefined;
}

/** The change by the status patch if it records an end. An end that is already recorded is not in the patch. */
export function endPatchOf(plan: Plan): JsonObject | undefined {
  const status = statusPatchOf(plan);
  return status?.['completionTime'] === undefined ? undefined : status;
}

export function isEmptyPlan(plan: Plan): boolean {
  return plan.every((stage) => stage.length === 0);
}
