/** `status.conditions`: what `kubectl wait` and `kubectl describe` go by (rule 9). */
import { withCondition, type Condition } from '#shared/domain/conditions.ts';
import { parseTime } from '#shared/domain/time.ts';
import { shortened } from './record.ts';
import type { Situation } from './situation.ts';

export type FlowCondition =
  | 'Accepted'
  | 'TemplatesResolved'
  | 'Progressing'
  | 'Blocked'
  | 'StepFailed'
  | 'Suspended'
  | 'Complete'
  | 'Failed';

const maxMessageLength = 1024;

/** What is true of the flow now; a condition that is left out is not touched. */
export interface Finding {
  readonly type: FlowCondition;
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
export function nextConditions(
  situation: Situation,
  findings: readonly Finding[],
): readonly Condition[] {
  let conditions: readonly Condition[] = situation.status.conditions ?? [];
  for (const finding of findings) conditions = withFinding(situation, conditions, finding);
  return conditions.map((condition) => ({ ...condition, ...observedGeneration(situation) }));
}

/** As a field of a status or a condition. */
export function observedGeneration({ flow }: Situation): Pick<Condition, 'observedGeneration'> {
  const { generation } = flow.metadata;
  return generation === undefined ? {} : { observedGeneration: generation };
}

function withFinding(
  { nowMs }: Situation,
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
export function conditionSince({ status }: Situation, type: FlowCondition): number | undefined {
  const condition = status.conditions?.find((candidate) => candidate.type === type);
  return condition?.status === 'True' ? parseTime(condition.lastTransitionTime) : undefined;
}
