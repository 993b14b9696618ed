/** Objects and decisions as fields of a log line. */
import type { Decision } from '#shared/domain/decision.ts';
import type { ObjectKey } from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';

/** `JobFlow/default/flow-a`: one searchable field. */
export function keyText(key: Pick<ObjectKey, 'kind' | 'namespace' | 'name'>): string {
  return `${key.kind}/${key.namespace}/${key.name}`;
}

/** A decision as fields of a log line: its writes, their reasons, and the next look. */
export function describeDecision(decision: Decision): Readonly<Record<string, unknown>> {
  const writes: Partial<Record<Operation['kind'], number>> = {};
  for (const stage of decision.plan) {
    for (const { kind } of stage) writes[kind] = (writes[kind] ?? 0) + 1;
  }
  return {
    writes,
    reasons: decision.reasons.map(({ code }) => code),
    why: decision.reasons.map(({ message }) => message).join('; '),
    ...(decision.requeueAtMs === undefined
      ? {}
      : { requeueAt: new Date(decision.requeueAtMs).toISOString() }),
  };
}
