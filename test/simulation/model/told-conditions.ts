/** How conditions follow from what is found; their times are those of their last change. */
import type { Condition } from '#shared/domain/conditions.ts';
import { stamp } from './look.ts';

export interface Finding {
  readonly isTrue: boolean;
  readonly reason: string;
  readonly mentions?: readonly string[];
  /** Names that its message speaks of no more. */
  readonly omits?: readonly string[];
}

/** By type. Undefined: not worth saying unless the opposite was said before. */
export type Findings = Readonly<Record<string, Finding>>;

export interface ToldCondition extends Finding {
  readonly since: string;
}

export type ToldConditions = Readonly<Record<string, ToldCondition>>;

/** Said also when it is not so, and was never otherwise. */
const saidAnyway = ['Accepted', 'TemplatesResolved', 'NodesEligible', 'Progressing'];

/** As they are on record. */
export function conditionsOn(conditions: readonly Condition[] = []): ToldConditions {
  return Object.fromEntries(
    conditions.map(({ type, status, reason, lastTransitionTime }) => [
      type,
      { isTrue: status === 'True', reason, since: lastTransitionTime },
    ]),
  );
}

/** As the conditions stand after these findings. */
export function conditionsAfter(
  conditions: readonly Condition[] | undefined,
  atMs: number,
  findings: Findings,
): ToldConditions {
  const told: Record<string, ToldCondition> = { ...conditionsOn(conditions) };
  for (const [type, finding] of Object.entries(findings)) {
    const before = told[type];
    const isNews =
      finding.isTrue ||
      saidAnyway.includes(type) ||
      (type === 'Suspended' && finding.reason === 'Suspending');
    if (before === undefined && !isNews) continue;
    const since = before?.isTrue === finding.isTrue ? before.since : stamp(atMs);
    told[type] = { ...finding, since };
  }
  return told;
}
