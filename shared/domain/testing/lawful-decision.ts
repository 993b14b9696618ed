import { expect } from 'vitest';
import type { Decide, Decision, DecisionInput } from '../decision.ts';
import { redactEnv } from '../redact.ts';

/**
 * Checks law 4 for every decision in every test. Deciding again from a frozen input must give the same
 * bytes, and so must deciding on what the journal keeps of it.
 */
export function lawfulDecision<Snapshot>(
  decide: Decide<Snapshot>,
  snapshot: Snapshot,
  input: DecisionInput,
): Decision {
  const frozen = deepFrozen(snapshot);
  const decision = decide(frozen, input);
  expect(JSON.stringify(decide(frozen, input))).toBe(JSON.stringify(decision));
  expect(JSON.stringify(decide(redactEnv(frozen), input))).toBe(
    JSON.stringify(redactEnv(decision)),
  );
  return decision;
}

/** Freezes the value at every depth, so that a decision that changes its input throws. */
export function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFrozen(member);
  }
  return value;
}
