import { expect } from 'vitest';
import type { Decide, Decision, DecisionInput } from '../decision.ts';
import { redactEnv } from '../redact.ts';

/**
 * Every decision in every test is also held to law 4: the same bytes a second time, from an input that
 * cannot be written to, and the same decision on what the journal keeps of it.
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

/** The value, made unwritable at every depth: a decision that changes its input throws. */
export function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFrozen(member);
  }
  return value;
}
