/** The input and the outcome of applying a plan. */
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
  /** Once it aborts, nothing more is sent (apply-6). Absent: it never aborts. */
  readonly signal?: AbortSignal;
  /**
   * Whether the decided state is still current. Called before each stage with the writes in effect (apply-8).
   * Absent: it is.
   */
  readonly isStillSo?: (
    stage: Stage,
    written: readonly WrittenObject[],
  ) => boolean | Promise<boolean>;
}

/** One operation that is in effect. */
export interface WrittenObject extends ObjectName {
  /**
   * `adopt`: the object existed and belongs to this owner. `gone`: there is no object to write on any more.
   */
  readonly done: 'create' | 'adopt' | 'patch' | 'patchStatus' | 'delete' | 'emitEvent' | 'gone';
  readonly resource: Resource;
  readonly uid?: Uid;
  readonly resourceVersion?: string;
  /** As `traceOf`. Absent: its name. */
  readonly trace?: string;
}

interface Progress {
  /** The writes in effect, in the order of the plan. */
  readonly writes: readonly WrittenObject[];
  /** Why an Event was not written (apply-4). */
  readonly notes: readonly string[];
  /** Fields that created objects lost. One more decision reports them, without hurry. */
  readonly warnings: readonly WriteWarning[];
}

/** The state has changed, and the later stages were not begun. Read and decide again. */
export interface Conflict {
  readonly kind: 'conflict';
  readonly detail: string;
}

/**
 * A client error that does not answer the plan. It is either a fault that may pass (MR_API_UNREACHABLE,
 * MR_API_RETRYABLE; apply again, apply-1), or a terminal refusal of a write other than a create.
 */
export interface Failed {
  readonly kind: 'failed';
  readonly error: unknown;
}

export type ApplyOutcome = Progress &
  (
    | { readonly kind: 'applied' }
    /** Refused for good; the later stages were not begun. Decide once more with these rejections. */
    | { readonly kind: 'rejected'; readonly rejections: readonly Rejection[] }
    | Conflict
    | Failed
    /** Aborted. Another run sends what was not sent (apply-1). */
    | { readonly kind: 'aborted' }
  );
