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
 * A function as data: `function.ts` of each folder exports one. Each makes its snapshots itself, so
 * that a list of functions need not know what is in them: hence methods, not members.
 */
export interface EventFunction<Snapshot = unknown> {
  readonly subscription: Subscription;
  /** The only reads. Undefined: the object is gone or is another one under the same name. */
  observe(
    key: ObjectKey,
    reader: Reader,
    circumstances?: Circumstances,
  ): Promise<Snapshot | undefined>;
  decide(...args: Parameters<Decide<Snapshot>>): Decision;
  /** What an installation may decide about it. Absent: nothing. */
  readonly configurable?: ConfigurableFunction<TObject, Snapshot>;
  /**
   * The snapshot as it would be if this object had been as given, for `replay --what-if`; the same one where nothing in
   * it is of the object. Absent: only what the snapshot holds whole, as the object that is decided about, can be.
   */
  assuming?(snapshot: Snapshot, object: NewObject): Snapshot;
  /**
   * When one decision is not enough. Absent: what the API server refuses or loses changes no decision, and none
   * relies on a child being absent.
   */
  readonly secondLook?: SecondLook<Snapshot>;
  /**
   * Who submitted the object that is decided about: that user has to be permitted to create what is
   * created (submitter-permissions.ts), and to be known (trust.ts). Takes the right to create
   * subjectaccessreviews. Absent: what this function creates takes nobody's right.
   */
  submitterOf?(snapshot: Snapshot): RecordedSubmitter | undefined;
  /**
   * The function with the keys of its process, to prove later what it wrote itself. Absent: it proves nothing.
   */
  withKeys?(keys: () => readonly Uint8Array[]): EventFunction<Snapshot>;
  /**
   * What of the plan is made from a template that another user may have written: that user has to be
   * permitted as well, so that nothing runs by the right of a user who did not write it. Absent: nothing is.
   */
  templateOrigins?(snapshot: Snapshot): TemplateOrigins;
}

/** Methods, as those of {@link EventFunction}. */
export interface ConfigurableFunction<Schema extends TObject = TObject, Snapshot = unknown> {
  /** Settings of its own, beside those of every function. */
  readonly schema: Schema;
  /** The function as the settings say. Throws MR_CONFIG_INVALID for what the schema cannot say. */
  configuredBy(settings: Static<Schema>): EventFunction<Snapshot>;
}

/** Methods, as those of {@link EventFunction}. */
export interface SecondLook<Snapshot> {
  /** The snapshot with the answers of the API server to the last decision, for one more. */
  knowing(snapshot: Snapshot, said: Said): Snapshot;
  /**
   * Children of which resource the decision takes to be absent for good: what it says is final and would be
   * wrong if there were one that was not read. Undefined, and absent: of none.
   */
  takesForAbsent?(snapshot: Snapshot, decision: Decision): Resource | undefined;
}

/** What the API server said to the writes of a run, besides that it did them. */
export interface Said {
  /** What it refused. */
  readonly rejections: readonly Rejection[];
  /** What it lost of created objects. */
  readonly warnings: readonly WriteWarning[];
}

/** Under which a function reads. */
export interface Circumstances {
  /** The namespaces where nothing is governed that is not named (exempt-namespaces.ts). Absent: the usual ones. */
  readonly exempt?: readonly string[];
  /** The API server's time, milliseconds since the epoch: only to choose what is read. Absent: not known. */
  readonly nowMs?: number;
}

export interface TemplateOrigin {
  readonly name: string;
  /** Who last changed it. Undefined: nobody is on record. */
  readonly submitter: RecordedSubmitter | undefined;
}

/** Undefined: it is made from the object alone. */
export type TemplateOrigins = (create: CreateOperation) => TemplateOrigin | undefined;
