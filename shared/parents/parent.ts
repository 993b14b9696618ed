/** An object that has children: what this room asks of it. A kind of its own adds to this what it likes. */
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

/** A step, a node: what the Events and conditions of a parent name. */
export interface Part {
  readonly name: string;
  readonly reason?: string;
  readonly message?: string;
}

/** How a kind speaks of itself and of its parts. */
export interface Words {
  /** `the flow`. */
  readonly whole: string;
  readonly part: 'node' | 'step';
  /** What stops with it. */
  readonly stopping: string;
  /** Of one that had failed. */
  readonly restarted: string;
  readonly states: Readonly<Record<ParentState, string>>;
  /** The condition of failed parts. */
  readonly partFailed: string;
  /** Its reason when there is none any more. */
  readonly noneFailed: string;
  /** The reason of its success. */
  readonly complete: string;
}
