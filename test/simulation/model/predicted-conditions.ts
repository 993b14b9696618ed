/** Derives conditions from findings. Their times are those of their last change. */
import type { Condition } from '#shared/domain/conditions.ts';
import { stamp } from './look.ts';

export interface Finding {
  readonly isTrue: boolean;
  readonly reason: string;
  readonly mentions?: readonly string[];
  /** Names that its message must no longer contain. */
  readonly omits?: readonly string[];
}

/** By type. Undefined: only reported if the opposite was recorded before. */
export type Findings = Readonly<Record<string, Finding>>;

export interface PredictedCondition extends Finding {
  readonly since: string;
}

export type PredictedConditions = Readonly<Record<string, PredictedCondition>>;

/** Also reported as not true if they were never true. */
const saidAnyway = ['Accepted', 'TemplatesResolved', 'NodesEligible', 'Progressing'];

/** The recorded conditions. */
export function conditionsOn(conditions: readonly Condition[] = []): PredictedConditions {
  return Object.fromEntries(
    conditions.map(({ type, status, reason, lastTransitionTime }) => [
      type,
      { isTrue: status === 'True', reason, since: lastTransitionTime },
    ]),
  );
}

/** The conditions after these findings. */
export function conditionsAfter(
  conditions: readonly Condition[] | undefined,
  atMs: number,
  findings: Findings,
): PredictedConditions {
  const predicted: Record<string, PredictedCondition> = { ...conditionsOn(conditions) };
  for (const [type, finding] of Object.entries(findings)) {
    const before = predicted[type];
    const isNews =
      finding.isTrue ||
      saidAnyway.includes(type) ||
      (type === 'Suspended' && finding.reason === 'Suspending');
    if (before === undefined && !isNews) continue;
    const since = before?.isTrue === finding.isTrue ? before.since : stamp(atMs);
    predicted[type] = { ...finding, since };
  }
  return predicted;
}
