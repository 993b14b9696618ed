import type { Decision } from '#shared/domain/decision.ts';
import type { ObjectKey } from '#shared/domain/objects.ts';

/** `JobFlow/default/flow-a`: one field that can be searched for. */
export function keyText(key: Pick<ObjectKey, 'kind' | 'namespace' | 'name'>): string {
  return `${key.kind}/${key.namespace}/${key.name}`;
}

/** A decision as fields of a log line: what is written, why, and when it is looked at again. */
export function describeDecision(decision: Decision): Readonly<Record<string, unknown>> {
  const writes = Object.entries(Object.groupBy(decision.plan.flat(), ({ kind }) => kind));
  return {
    writes: Object.fromEntries(writes.map(([kind, operations]) => [kind, operations.length])),
    reasons: decision.reasons.map(({ code }) => code),
    ...(decision.requeueAtMs === undefined
      ? {}
      : { requeueAt: new Date(decision.requeueAtMs).toISOString() }),
  };
}
