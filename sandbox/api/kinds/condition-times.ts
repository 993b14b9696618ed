/** Writes conditions as Go does: metav1.Time has no `omitempty`, so a missing time is written as null. */
import type { Draft } from '../draft.ts';

const absent = { lastProbeTime: null, lastTransitionTime: null };

/** For conditions of Jobs and Pods. Returns the same reference when nothing is missing. */
export function withConditionTimes(object: Draft): Draft {
  const { conditions } = (object.status ?? {}) as { readonly conditions?: readonly object[] };
  if (conditions === undefined || conditions.every(isWhole)) return object;
  const whole = conditions.map((condition) =>
    isWhole(condition) ? condition : { ...absent, ...condition },
  );
  return { ...object, status: { ...(object.status as object), conditions: whole } };
}

function isWhole(condition: object): boolean {
  return 'lastProbeTime' in condition && 'lastTransitionTime' in condition;
}
