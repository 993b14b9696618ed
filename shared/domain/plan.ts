/**
 * What a decision wants written, as data.
 *
 * P1 Stages run in order; the operations of one stage are independent and may run at once.
 * P2 Applying a plan twice equals applying it once (law 5): every create has a deterministic name,
 *    every delete and patch carries the uid, the status patch the resourceVersion it was decided on.
 * P3 The status patch of what is decided about is the last write; those of other objects come before it. Events come before the write after which they would not be decided
 *    again, the status patch or that of the object they report: their names are derived, so a crash in
 *    between repeats them without a second one, and none is lost.
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
 * Creates a child. When the name is taken, the controller owner's uid decides: ours is adopted,
 * a foreign one is reported in the outcome as a name conflict and never touched; so is one of ours that is
 * for another machine.
 */
export interface CreateOperation {
  readonly kind: 'create';
  readonly resource: Resource;
  readonly object: NewObject;
  readonly ownerUid: Uid;
}

/** A JSON merge patch (RFC 7386) on the object with this uid; a vanished object is no error. */
export interface PatchOperation {
  readonly kind: 'patch';
  readonly resource: Resource;
  readonly target: ObjectName;
  readonly uid: Uid;
  /** When given, only this version is patched; a conflict makes the whole key be decided again. */
  readonly resourceVersion?: ResourceVersion;
  readonly patch: JsonObject;
  /**
   * Nothing decided later may set it right: after it the object vanishes by itself (a TTL), or stands
   * still with nobody left to look at it (a suspension, when the flow is over in truth).
   */
  readonly isFinal?: true;
  /**
   * The object is somebody else's, and its API server or admission may refuse the patch for good: that is
   * told to the decision, and the other operations of the stage are carried out.
   */
  readonly mayBeRefused?: true;
}

/** A merge patch on the status subresource; a conflict makes the whole key be decided again. */
export interface PatchStatusOperation {
  readonly kind: 'patchStatus';
  readonly resource: Resource;
  readonly target: ObjectName;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  readonly status: JsonObject;
  /** Others act on it at once, and what they then do stays: a quota that is given back. Absent: it is set right later. */
  readonly isFinal?: true;
}

/** Deletes the object with this uid; a vanished or replaced object is no error. */
export interface DeleteOperation {
  readonly kind: 'delete';
  readonly resource: Resource;
  readonly target: ObjectName;
  readonly uid: Uid;
  /** When given, only this version is deleted; a conflict makes the whole key be decided again. */
  readonly resourceVersion?: ResourceVersion;
  readonly propagation: 'Foreground' | 'Background' | 'Orphan';
  /** 0: at once, whatever still runs. Absent: as the object says. */
  readonly gracePeriodSeconds?: number;
}

/** A Kubernetes Event on the owner. Its name is derived, so a repeat is no second one. */
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
  /** Distinguishes two Events with one reason (an attempt, a step); part of the derived name. */
  readonly occurrence: string;
}

export type Operation =
  CreateOperation | PatchOperation | PatchStatusOperation | DeleteOperation | EmitEventOperation;

export type Stage = readonly Operation[];
export type Plan = readonly Stage[];

/** What the status patch changes; undefined when the plan has none. */
export function told(plan: Plan): JsonObject | undefined {
  const write = plan.at(-1)?.find(({ kind }) => kind === 'patchStatus');
  return write?.kind === 'patchStatus' ? write.status : undefined;
}

/** What the status patch changes, if it records an end: an end that is recorded already is not in it. */
export function toldAtEnd(plan: Plan): JsonObject | undefined {
  const status = told(plan);
  return status?.['completionTime'] === undefined ? undefined : status;
}

export function isEmptyPlan(plan: Plan): boolean {
  return plan.every((stage) => stage.length === 0);
}
