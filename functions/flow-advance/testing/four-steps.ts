/** A flow with four steps, one of them running, for tests of an early end. */
import type { JobFlowSpec, JobFlowStatus } from '#shared/api/job-flow.ts';
import type { FlowSnapshot } from '../snapshot.ts';
import { at, flow, type FlowFields, job, record, snapshot, started, step } from './builders.ts';
import type { Decided } from './decided.ts';

export type SpecBeside = Partial<Omit<JobFlowSpec, 'flows'>>;

/** a runs, b waits for it, c is between two attempts, d has succeeded. */
export const steps = [
  step('a'),
  step('b', { after: ['a'] }),
  step('c', { retryPolicy: { limit: 1, backoffSeconds: 600 } }),
  step('d'),
];
export const entries = [
  record('a', 'Running'),
  record('b', 'Waiting'),
  record('c', 'Waiting', { attempt: 1, reason: 'RetryBackoff', nextRetryTime: at(600) }),
  record('d', 'Succeed'),
];
export const jobs = [job('a', 'running'), job('c', 'failed'), job('d', 'complete')];

export function look(
  spec: SpecBeside,
  fields: Partial<FlowSnapshot> = { jobs },
  status: JobFlowStatus = started(entries),
  more: FlowFields = {},
): FlowSnapshot {
  return snapshot(flow(steps, { spec, status, ...more }), fields);
}

/** The same flow one decision later. */
export function lookAfter(
  { status }: Decided,
  spec: SpecBeside,
  fields: Partial<FlowSnapshot>,
  more: FlowFields = {},
): FlowSnapshot {
  return look(spec, fields, status, more);
}
