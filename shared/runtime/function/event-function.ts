import type { Static, TObject } from 'typebox';
import type { Decide, Decision } from '#shared/domain/decision.ts';
import type { NewObject, ObjectKey, Resource } from '#shared/domain/objects.ts';
import type { CreateOperation } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { RecordedSubmitter } from '#shared/domain/submitter.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';

export type { Rejection };

/**
 * A function as data; `function.ts` of each folder exports one. Only the function itself knows the type of its
 * snapshots, so a list of functions need not. That is why these are methods, not members.
 */
export interface EventFunction<Snapshot = unknown> {
  readonly subscription: Subscription;
  /** The only reads. Undefined: the object is gone, or another object has its name. */
  observe(
    key: ObjectKey,
    reader: Reader,
    circumstances?: Circumstances,
  ): Promise<Snapshot | undefined>;
  decide(...args: Parameters<Decide<Snapshot>>): Decision;
  /** Settings of this function. Absent: none. */
  readonly configurable?: ConfigurableFunction<TObject, Snapshot>;
  /**
   * The snapshot with this object in place of the observed one, for `replay --what-if`. The same snapshot if it
   * contains nothing of the object. Absent: only the decided object can be replaced.
   */
  assuming?(snapshot: Snapshot, object: NewObject): Snapshot;
  /**
   * For functions that may need a second decision. Absent: refusals and losses change no decision, and none relies on a
   * child being absent.
   */
  readonly secondLook?: SecondLook<Snapshot>;
  /**
   * The submitter of the decided object. That user must be known (trust.ts) and be allowed to create what is created
   * (submitter-permissions.ts). Needs the right to create subjectaccessreviews. Absent: creates need no user's right.
   */
  submitterOf?(snapshot: Snapshot): RecordedSubmitter | undefined;
  /** The function with the keys of its process, to recognize its own writes later. Absent: it recognizes none. */
  withKeys?(keys: () => readonly Uint8Array[]): EventFunction<Snapshot>;
  /**
   * The parts of the plan made from a template that another user may have written. That user needs the right as well,
   * so that nothing runs by the right of a user who did not write it. Absent: none.
   */
  templateOrigins?(snapshot: Snapshot): TemplateOrigins;
}

/** Methods, for the same reason as in {@link EventFunction}. */
export interface ConfigurableFunction<Schema extends TObject = TObject, Snapshot = unknown> {
  /** Its own settings, beside those of every function. */
  readonly schema: Schema;
  /** The function with these settings. Throws MR_CONFIG_INVALID for faults that the schema cannot express. */
  configuredBy(settings: Static<Schema>): EventFunction<Snapshot>;
}

/** Methods, for the same reason as in {@link EventFunction}. */
export interface SecondLook<Snapshot> {
  /** The snapshot with the API server's answers to the last decision, to decide once more. */
  knowing(snapshot: Snapshot, said: Said): Snapshot;
  /**
   * The child resource that this decision assumes is gone. Its result is final and would be wrong if a child was not
   * read. Undefined or absent: none.
   */
  takesForAbsent?(snapshot: Snapshot, decision: Decision): Resource | undefined;
  /**
   * The resource whose list this decision rests on for good. It is observed again with this list from the API server
   * ({@link Circumstances}), and decided once more. Undefined or absent: none.
   */
  restsOnAll?(snapshot: Snapshot, decision: Decision): Resource | undefined;
}

/** The API server's answers to the writes of a run, beside plain success. */
export interface Said {
  /** The refused writes. */
  readonly rejections: readonly Rejection[];
  /** Fields of created objects that were dropped. */
  readonly warnings: readonly WriteWarning[];
}

/** The circumstances under which a function reads. */
export interface Circumstances {
  /** Namespaces where nothing is governed unless it is named (exempt-namespaces.ts). Absent: the default list. */
  readonly exempt?: readonly string[];
  /** The API server's time in milliseconds since the epoch, only to choose what is read. Absent: unknown. */
  readonly nowMs?: number;
  /** The resource to be listed as the API server has it, because a decision rests on it for good. Absent: none. */
  readonly now?: Resource;
}

export interface TemplateOrigin {
  readonly name: string;
  /** The user who last changed it. Undefined: none is recorded. */
  readonly submitter: RecordedSubmitter | undefined;
}

/** Undefined: made from the object alone. */
export type TemplateOrigins = (create: CreateOperation) => TemplateOrigin | undefined;
