import { rfc3339 } from './time.ts';

/** metav1.Condition. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase, never empty. */
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

export type ConditionInput = Omit<Condition, 'lastTransitionTime'>;

/**
 * Returns the list with `next` set, at the position of its type. `lastTransitionTime` changes only
 * when `status` changes (API conventions, metav1.Condition).
 */
export function withCondition(
  conditions: readonly Condition[],
  next: ConditionInput,
  nowMs: number,
): readonly Condition[] {
  const previous = conditions.find((condition) => condition.type === next.type);
  const lastTransitionTime =
    previous?.status === next.status ? previous.lastTransitionTime : rfc3339(nowMs);
  const condition: Condition = { ...next, lastTransitionTime };
  if (previous === undefined) return [...conditions, condition];
  return conditions.map((existing) => (existing.type === next.type ? condition : existing));
}

export function conditionStatus(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): string | undefined {
  return conditions?.find((condition) => condition.type === type)?.status;
}
