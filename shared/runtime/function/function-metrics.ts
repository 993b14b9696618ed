import { Counter, Histogram, type Registry } from 'prom-client';

/** What became of one decision; a bounded label. */
export type DecisionOutcome =
  'gone' | 'unchanged' | 'applied' | 'rejected' | 'conflict' | 'aborted' | 'failed';

export interface FunctionMetrics {
  readonly decisions: Counter<'function' | 'outcome'>;
  readonly steps: Histogram<'function' | 'step'>;
  readonly writes: Counter<'function' | 'done' | 'resource'>;
  readonly journalFailures: Counter<'function'>;
}

/** Metrics of deciding; labels are bounded by functions, resources and outcomes. */
export function createFunctionMetrics(registry: Registry): FunctionMetrics {
  const registers = [registry];
  return {
    decisions: new Counter({
      name: 'millrace_decisions_total',
      help: 'Decisions by what became of them.',
      labelNames: ['function', 'outcome'],
      registers,
    }),
    steps: new Histogram({
      name: 'millrace_decision_step_seconds',
      help: 'How long observing, deciding and applying took.',
      labelNames: ['function', 'step'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    writes: new Counter({
      name: 'millrace_writes_total',
      help: 'Operations that are in effect, by what was done.',
      labelNames: ['function', 'done', 'resource'],
      registers,
    }),
    journalFailures: new Counter({
      name: 'millrace_journal_failures_total',
      help: 'Decisions that could not be recorded.',
      labelNames: ['function'],
      registers,
    }),
  };
}
