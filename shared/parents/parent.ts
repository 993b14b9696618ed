/** An object with children, as far as this folder uses it. Kinds add their own fields. */
import type { Condition } from '#shared/domain/conditions.ts';
import type { ObjectMeta } from '#shared/domain/objects.ts';
import type { ShutdownMode } from '#shared/domain/shutdown.ts';

export type ParentState =
  'Pending' | 'Running' | 'Succeed' | 'Failed' | 'Suspended' | 'Terminating';

/** The state of a parent as a whole, and why. */
export interface Summary {
  readonly state: ParentState;
  readonly reason?: string;
  readonly message?: string;
}

export interface ParentStatus extends Partial<Summary> {
  readonly observedGeneration?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly retryNonce?: string;
  readonly conditions?: readonly Condition[];
}

export interface Parent {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly shutdown?: ShutdownMode;
    readonly ttlSecondsAfterFinished?: number;
  };
  readonly status?: ParentStatus;
}

/** A step or a node, as the Events and conditions of a parent name it. */
export interface Part {
  readonly name: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A kind's words for itself and its parts. */
export interface Words {
  /** `the flow`. */
  readonly whole: string;
  readonly part: 'node' | 'step';
  /** The parts that are suspended with it. */
  readonly stopping: string;
  /** Message for a parent that had failed. */
  readonly restarted: string;
  readonly states: Readonly<Record<ParentState, string>>;
  /** The condition for failed parts. */
  readonly partFailed: string;
  /** Its reason when no failed part is left. */
  readonly noneFailed: string;
  /** The reason for its success. */
  readonly complete: string;
}
