/** A decision as users read it: status, conditions, Events and reasons, a line each. */
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import type { FlowSnapshot } from '../snapshot.ts';
import { decided } from './decided.ts';

export function worded(snapshot: FlowSnapshot, secondsAfterT0 = 0): readonly string[] {
  const { decision, status } = decided(snapshot, secondsAfterT0);
  const events = decision.plan
    .flat()
    .filter((operation): operation is EmitEventOperation => operation.kind === 'emitEvent');
  return [
    `flow ${status.state ?? 'new'} ${because(status)}`,
    ...(status.jobStatusList ?? []).map(
      (record) => `step ${record.name} ${record.state} ${because(record)}`,
    ),
    ...(status.conditions ?? []).map(
      (condition) => `condition ${condition.type} ${condition.status} ${because(condition)}`,
    ),
    ...events.map(
      ({ type, action, reason, note, occurrence }) =>
        `Event ${type} ${action} ${reason} [${occurrence}]: ${note}`,
    ),
    ...decision.reasons.map(
      ({ code, message, fields }) => `reason ${code}: ${message} ${JSON.stringify(fields)}`,
    ),
  ];
}

function because({ reason, message }: { readonly reason?: string; readonly message?: string }) {
  return reason === undefined && message === undefined
    ? '-'
    : `${reason ?? '-'}: ${message ?? '-'}`;
}
