import type { Counter, Registry } from 'prom-client';
import { counterOf, gaugeOf, metric } from '#shared/runtime/process/metric.ts';

export interface StateEventMetrics {
  readonly events: Counter<'kind' | 'outcome'>;
}

const ofBridge = { by: 'bridge, with MILLRACE_EVENTS_TO' } as const;

export const stateEventMetrics = {
  events: metric({
    ...{ name: 'millrace_state_events_total', type: 'counter', unit: 'number', ...ofBridge },
    says: 'State events sent to the sink of the operator, by how it answered.',
    next: '`failed`: the sink is away, and they are sent again. `refused`: it calls them wrong, and they are dropped; the log of the bridge says which.',
    labels: { kind: 'kind', outcome: ['taken', 'failed', 'refused'] },
  }),
  behind: metric({
    ...{
      name: 'millrace_state_events_behind_seconds',
      type: 'gauge',
      unit: 'seconds',
      ...ofBridge,
    },
    says: 'For how long the sink of the operator has taken no state event that waits; 0 when none waits.',
    next: 'Look at the sink, and at MR_SINK_UNAVAILABLE in the log of the bridge. Flows continue meanwhile.',
    labels: {},
  }),
};

export function createStateEventMetrics(
  registry: Registry,
  behindSeconds: () => number,
): StateEventMetrics {
  gaugeOf(stateEventMetrics.behind, registry, function () {
    this.set(behindSeconds());
  });
  return { events: counterOf(stateEventMetrics.events, registry) };
}
