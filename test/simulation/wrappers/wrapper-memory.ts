/** What was there of an AppWrapper: each component of each try, and the Pods of these. */
import type { AppWrapperPhase } from '#shared/api/app-wrapper.ts';

export interface SeenObject {
  readonly kind: string;
  readonly name: string;
  /** Index of its component. */
  readonly part: number;
  /** Place of the try that it was created in. */
  readonly attempt: number;
  /** Its creator could not know that the AppWrapper had moved on. */
  readonly isStray: boolean;
  /** Who let it go first. Absent: it stays. */
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
  /** When it last stopped creating what it wraps, virtual milliseconds. */
  leftResumingAtMs: number;
  /** By uid. */
  readonly components: Map<string, SeenObject>;
  readonly pods: Map<string, SeenObject>;
  /** Since when as many Pods as it expects run or have succeeded, virtual milliseconds. Infinity: too few do. */
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

/** What is there of it, whatever nobody could have known of left out. */
export function present({ components, pods }: WrapperMemory): readonly SeenObject[] {
  return [...components.values(), ...pods.values()].filter(
    ({ isGone, isStray }) => !isGone && !isStray,
  );
}
