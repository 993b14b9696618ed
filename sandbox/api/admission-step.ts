/**
 * The points where a write waits for webhooks. Writes are generators that yield there. So the same
 * code runs synchronously without webhooks and asynchronously with them.
 */
import type { ApiCall } from './api-call.ts';
import type { Draft } from './draft.ts';

export interface AdmissionStep {
  /** `mutate` is resumed with the object as the webhooks changed it. */
  readonly phase: 'mutate' | 'validate';
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly call: ApiCall;
  /** Absent for DELETE. */
  readonly object: Draft | undefined;
  readonly old: Draft | undefined;
}

/** The steps of one write, and its result. */
export type AdmissionSteps<Result> = Generator<AdmissionStep, Result, Draft | undefined>;

/** Both phases for one object, one after the other. A delete has no object to change. */
export function* mutated(
  step: Omit<AdmissionStep, 'phase'> & { object: Draft },
): AdmissionSteps<Draft> {
  return (yield { ...step, phase: 'mutate' }) ?? step.object;
}

export function* validated(step: Omit<AdmissionStep, 'phase'>): AdmissionSteps<void> {
  yield { ...step, phase: 'validate' };
}
