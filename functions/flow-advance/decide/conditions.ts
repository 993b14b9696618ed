/** `status.conditions`: what `kubectl wait` and `kubectl describe` go by (rule 9). */
import { annotationsFinding } from '#shared/api/annotation-faults.ts';
import type { Condition } from '#shared/domain/conditions.ts';
import * as findings from '#shared/domain/findings.ts';
import type { Situation } from './situation.ts';

export type FlowCondition =
  | 'Accepted'
  | 'TemplatesResolved'
  | 'Progressing'
  | 'Blocked'
  | 'StepFailed'
  | 'Suspended'
  | 'Complete'
  | 'RetryRefused'
  | 'UnknownAnnotation'
  | 'Failed';

export type Finding = findings.Finding<FlowCondition>;

export function nextConditions(
  situation: Situation,
  found: readonly Finding[],
): readonly Condition[] {
  const { flow, nowMs, status } = situation;
  const { generation } = flow.metadata;
  const all = [...found, annotationsFinding(flow.metadata)];
  return findings.withFindings(status.conditions ?? [], all, { nowMs, generation });
}

/** As a field of a status or a condition. */
export function observedGeneration({ flow }: Situation): Pick<Condition, 'observedGeneration'> {
  return findings.observedGeneration(flow.metadata.generation);
}

/** Since when the observed condition is True, milliseconds since the epoch. */
export function conditionSince({ status }: Situation, type: FlowCondition): number | undefined {
  return findings.conditionSince(status.conditions, type);
}
