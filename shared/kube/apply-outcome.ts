/** What applying a plan needs and what comes of it. */
import type { Clock } from '#shared/domain/clock.ts';
import type { ObjectName, Uid, Resource } from '#shared/domain/objects.ts';
import type { Stage } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { WriteWarning } from '#shared/domain/write-warning.ts';
import type { KubeClient } from './client.ts';

export interface ApplyContext {
  readonly client: KubeClient;
  /** `millrace.dev/<function>`: field manager of the writes and reportingController of the Events. */
  readonly fieldManager: string;
  /** reportingInstance of the Events: the pod's or the host's name. */
  readonly instance: string;
  readonly clock: Clock;
  /** Once it is aborted nothing more is sent (A6 of apply-plan.ts). Absent: nobody calls it off. */
  readonly signal?: AbortSignal;
  /**
   * Whether what was decided on is still so: asked before each stage, with what is in effect by then (A8 of
   * apply-plan.ts). Absent: it is.
   */
  readonly isStillSo?: (
    stage: Stage,
    written: readonly WrittenObject[],
  ) => boolean | Promise<boolean>;
}

/** One operation that is in effect. */
export interface WrittenObject extends ObjectName {
  /** `adopt`: the object was there already and is ours. `gone`: there is nothing left to write on. */
  readonly done: 'create' | 'adopt' | 'patch' | 'patchStatus' | 'delete' | 'emitEvent' | 'gone';
  readonly resource: Resource;
  readonly uid?: Uid;
  readonly resourceVersion?: string;
  /** As `traceOf`. Absent: its name. */
  readonly trace?: string;
}

interface Progress {
  /** What is in effect, in the order of the plan. */
  readonly writes: readonly WrittenObject[];
  /** Why an Event was not written (A4 of apply-plan.ts). */
  readonly notes: readonly string[];
  /** What was lost of objects that were created: to be reported by one more decision, which has no hurry. */
  readonly warnings: readonly WriteWarning[];
}

/** The state moved on; the later stages were not begun. Read again and decide again. */
export interface Conflict {
  readonly kind: 'conflict';
  readonly detail: string;
}

/**
 * What the client threw and is no answer to the plan: a fault that may pass (MR_API_UNREACHABLE,
 * MR_API_RETRYABLE; apply again, A1 of apply-plan.ts) or a terminal refusal of anything but a create.
 */
export interface Failed {
  readonly kind: 'failed';
  readonly error: unknown;
}

export type ApplyOutcome = Progress &
  (
    | { readonly kind: 'applied' }
    /** Refused for good; the later stages were not begun. Decide once more with these. */
    | { readonly kind: 'rejected'; readonly rejections: readonly Rejection[] }
    | Conflict
    | Failed
    /** Called off; what had not been sent by then is for another run (A1 of apply-plan.ts). */
    | { readonly kind: 'aborted' }
  );
