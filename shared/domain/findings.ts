/** Conditions from findings; `kubectl wait` and `kubectl describe` read them. */
import { withCondition, type Condition } from './conditions.ts';
import { parseTime } from './time.ts';
import { shortened } from './wording.ts';

const maxMessageLength = 1024;

/** A condition as it is now. A condition that is left out is not changed. */
export interface Finding<Type extends string = string> {
  readonly type: Type;
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
  /** Report False for this type only if it was True before. */
  readonly onlyWhenKnown?: boolean;
}

/**
 * Every finding gets the generation that was looked at, even if it did not change. `kubectl wait`
 * ignores a condition of an earlier generation.
 */
export function withFindings(
  known: readonly Condition[],
  findings: readonly Finding[],
  { nowMs, generation }: { readonly nowMs: number; readonly generation: number | undefined },
): readonly Condition[] {
  let conditions = known;
  for (const finding of findings) conditions = withFinding(nowMs, conditions, finding);
  return conditions.map((condition) => ({ ...condition, ...observedGeneration(generation) }));
}

/** For a field of a status or a condition. */
export function observedGeneration(
  generation: number | undefined,
): Pick<Condition, 'observedGeneration'> {
  return generation === undefined ? {} : { observedGeneration: generation };
}

function withFinding(
  nowMs: number,
  conditions: readonly Condition[],
  finding: Finding,
): readonly Condition[] {
  const { type, reason, isTrue } = finding;
  const isKnown = conditions.some((condition) => condition.type === type);
  if (finding.onlyWhenKnown === true && !isKnown && !isTrue) return conditions;
  const message = shortened(finding.message, maxMessageLength);
  return withCondition(
    conditions,
    { type, status: isTrue ? 'True' : 'False', reason, message },
    nowMs,
  );
}

/** When the observed condition turned True, in milliseconds since the epoch. */
export function conditionSince(
  conditions: readonly Condition[] | undefined,
  type: string,
): number | undefined {
  const condition = conditions?.find((candidate) => candidate.type === type);
  return condition?.status === 'True' ? parseTime(condition.lastTransitionTime) : undefined;
}
