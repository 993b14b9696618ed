import type { Counter, Histogram, Registry } from 'prom-client';
import { counterOf, histogramOf, metric } from '#shared/runtime/process/metric.ts';

const outcomes = [
  'gone',
  'unchanged',
  'applied',
  'rejected',
  'conflict',
  'aborted',
  'failed',
] as const;

/** The result of one decision, a bounded label. */
export type DecisionOutcome = (typeof outcomes)[number];

export const functionMetrics = {
  decisions: metric({
    name: 'millrace_decisions_total',
    type: 'counter',
    unit: 'number',
    by: 'functions',
    says: 'Decisions by what became of them.',
    next: '`failed`: the log line "item failed" has the error. Many `conflict`: another controller writes the same objects.',
    labels: { function: 'function', outcome: outcomes },
  }),
  steps: metric({
    name: 'millrace_decision_step_seconds',
    type: 'histogram',
    unit: 'seconds',
    by: 'functions',
    says: 'How long observing, deciding and applying took.',
    next: 'Slow `observe` or `apply`: look at millrace_api_request_seconds. Slow `decide`: a very large object; its item gives way to others.',
    labels: { function: 'function', step: ['observe', 'decide', 'apply'] },
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  }),
  writes: metric({
    name: 'millrace_writes_total',
    type: 'counter',
    unit: 'number',
    by: 'functions',
    says: 'Operations that are in effect, by what was done.',
    next: 'Nothing; it shows what Millrace costs the API server.',
    labels: {
      function: 'function',
      done: ['create', 'adopt', 'patch', 'patchStatus', 'delete', 'emitEvent', 'gone'],
      resource: 'resource',
    },
  }),
  announced: metric({
    name: 'millrace_transitions_total',
    type: 'counter',
    unit: 'number',
    by: 'functions',
    says: 'Transitions of objects that were reported by a Kubernetes Event, by kind and action, such as Start, Complete, Fail.',
    next: 'Many `Fail` of one kind: `kubectl get events -A --field-selector reason=Failed` says of which objects and why.',
    labels: { kind: 'kind', type: ['Normal', 'Warning'], action: 'action' },
  }),
  journalFailures: metric({
    name: 'millrace_journal_failures_total',
    type: 'counter',
    unit: 'number',
    by: 'functions',
    says: 'Decisions that could not be recorded.',
    next: 'Look at Redis. Work continues; `millrace why` and `replay` lack these decisions.',
    labels: { function: 'function' },
  }),
};

export interface FunctionMetrics {
  readonly decisions: Counter<'function' | 'outcome'>;
  readonly steps: Histogram<'function' | 'step'>;
  readonly writes: Counter<'function' | 'done' | 'resource'>;
  readonly announced: Counter<'kind' | 'type' | 'action'>;
  readonly journalFailures: Counter<'function'>;
}

/** Metrics of deciding. Labels are bounded by functions, resources and outcomes. */
export function createFunctionMetrics(registry: Registry): FunctionMetrics {
  return {
    decisions: counterOf(functionMetrics.decisions, registry),
    steps: histogramOf(functionMetrics.steps, registry),
    writes: counterOf(functionMetrics.writes, registry),
    announced: counterOf(functionMetrics.announced, registry),
    journalFailures: counterOf(functionMetrics.journalFailures, registry),
  };
}
