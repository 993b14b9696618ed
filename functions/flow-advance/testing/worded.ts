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

const accepted = 'condition Accepted True Valid: the flow can be run';

/** The conditions of a running flow. */
export const runs = [accepted, 'condition Progressing True Running: steps are being run'];

/** The conditions of a failed flow, without those of its end. */
export const hasFailed = [accepted, 'condition Progressing False Failed: the flow has failed'];

/** The words of a flow whose step a was just created, and whose step b waits for it. */
export const begun = [
  'flow Running -',
  'step a Pending -',
  'step b Waiting DependenciesPending: waiting for a',
  ...runs,
];

function because({ reason, message }: { readonly reason?: string; readonly message?: string }) {
  return reason === undefined && message === undefined
    ? '-'
    : `${reason ?? '-'}: ${message ?? '-'}`;
}

/** The conditions of a running flow with an obstacle. */
export const waits = (reason: string, message: string): readonly string[] => [
  'condition Accepted True Valid: the flow can be run',
  `condition Progressing True ${reason}: ${message}`,
];
