/** The history of an AppWrapper: each component of each try, and their Pods. */
import type { AppWrapperPhase } from '#shared/api/app-wrapper.ts';

export interface SeenObject {
  readonly kind: string;
  readonly name: string;
  /** Index of its component. */
  readonly part: number;
  /** Number of the try that it was created in. */
  attempt: number;
  /** Its creator could not know that the AppWrapper's phase had changed. */
  isStray: boolean;
  /** The party that deleted it first. Absent: it was not deleted. */
  deletedBy?: 'us' | 'others';
  isGone: boolean;
  hasFailed: boolean;
  hasSucceeded: boolean;
  phase: string;
}

export interface WrapperMemory {
  readonly name: string;
  phase: AppWrapperPhase | '';
  holdsQuota: boolean;
  /** Tries so far. */
  attempts: number;
  /** When it last left the phase Resuming, in virtual milliseconds. */
  leftResumingAtMs: number;
  /** By uid. */
  readonly components: Map<string, SeenObject>;
  readonly pods: Map<string, SeenObject>;
  /**
   * Since when the expected number of Pods run or have succeeded, in virtual milliseconds. Infinity: too few do.
   */
  enoughSinceMs: number;
}

export function newMemory(name: string): WrapperMemory {
  return {
    name,
    phase: '',
    holdsQuota: false,
    attempts: 0,
    leftResumingAtMs: -Infinity,
    components: new Map(),
    pods: new Map(),
    enoughSinceMs: Infinity,
  };
}

export function ofThisTry({ attempts, components }: WrapperMemory): readonly SeenObject[] {
  return [...components.values()].filter(
    ({ attempt, isStray }) => attempt === attempts && !isStray,
  );
}

/** Its existing objects, without those that no process could have known about. */
export function present({ components, pods }: WrapperMemory): readonly SeenObject[] {
  return [...components.values(), ...pods.values()].filter(
    ({ isGone, isStray }) => !isGone && !isStray,
  );
}
