/** Conditions from what is found to be true: what `kubectl wait` and `kubectl describe` go by. */
import { withCondition, type Condition } from './conditions.ts';
import { parseTime } from './time.ts';
import { shortened } from './wording.ts';

const maxMessageLength = 1024;

/** What is true of an object now; a condition that is left out is not touched. */
export interface Finding<Type extends string = string> {
  readonly type: Type;
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
  /** A False of this type is only worth saying after it was True. */
  readonly onlyWhenKnown?: boolean;
}

/**
 * All of them speak of the generation that was looked at, also those that stay as they were: `kubectl
 * wait` takes a condition of an earlier generation for one that nobody has looked at since.
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

/** As a field of a status or a condition. */
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

/** Since when the observed condition is True, milliseconds since the epoch. */
export function conditionSince(
  conditions: readonly Condition[] | undefined,
  type: string,
): number | undefined {
  const condition = conditions?.find((candidate) => candidate.type === type);
  return condition?.status === 'True' ? parseTime(condition.lastTransitionTime) : undefined;
}
