/** `status.conditions`: what `kubectl wait` and `kubectl describe` go by (rule 9). */
import { withCondition, type Condition, type ConditionInput } from '#shared/domain/conditions.ts';
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

export function nextConditions(
  situation: Situation,
  findings: readonly Finding[],
): readonly Condition[] {
  let conditions: readonly Condition[] = situation.status.conditions ?? [];
  for (const finding of findings) conditions = withFinding(situation, conditions, finding);
  return conditions;
}

/** An unchanged condition stays the same object, so that looking again writes nothing (I9). */
function withFinding(
  { flow, nowMs }: Situation,
  conditions: readonly Condition[],
  finding: Finding,
): readonly Condition[] {
  const previous = conditions.find(({ type }) => type === finding.type);
  if (previous === undefined && finding.onlyWhenKnown === true && !finding.isTrue)
    return conditions;
  const { generation } = flow.metadata;
  const next: ConditionInput = {
    type: finding.type,
    status: finding.isTrue ? 'True' : 'False',
    reason: finding.reason,
    message: shortened(finding.message, maxMessageLength),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const isSame =
    previous?.status === next.status &&
    previous.reason === next.reason &&
    previous.message === next.message;
  return isSame ? conditions : withCondition(conditions, next, nowMs);
}

/** Since when the observed condition is True, milliseconds since the epoch. */
export function conditionSince({ status }: Situation, type: FlowCondition): number | undefined {
  const condition = status.conditions?.find((candidate) => candidate.type === type);
  return condition?.status === 'True' ? parseTime(condition.lastTransitionTime) : undefined;
}
