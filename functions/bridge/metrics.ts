import type { Counter, Gauge, Registry } from 'prom-client';
import type { ReflectorState, ReflectorStats } from '#shared/kube/reflector-options.ts';
import { counterOf, gaugeOf, type Metric, metric } from '#shared/runtime/process/metric.ts';

export interface BridgeMetrics {
  readonly published: Counter<'kind' | 'change'>;
  readonly filtered: Counter<'kind'>;
  readonly items: Counter;
  readonly swept: Counter<'reason'>;
  readonly leading: Gauge;
}

const states: readonly ReflectorState[] = ['listing', 'synced', 'watching', 'stale', 'stopped'];
const ofBridge = { by: 'bridge', unit: 'number' } as const;
const ofKind = { labels: { kind: 'kind' } } as const;

export const bridgeMetrics = {
  published: metric({
    ...{ name: 'millrace_bridge_events_published_total', type: 'counter', ...ofBridge },
    says: 'Changes that were recorded and enqueued.',
    next: 'Nothing while objects change and none is published: see millrace_bridge_leading and millrace_reflector_state.',
    labels: { kind: 'kind', change: ['changed', 'deleted', 'gone'] },
  }),
  filtered: metric({
    ...{ name: 'millrace_bridge_events_filtered_total', type: 'counter', ...ofBridge, ...ofKind },
    says: 'Changes that no decision depends on.',
    next: 'Nothing; it shows the work that is saved.',
  }),
  items: metric({
    ...{ name: 'millrace_bridge_items_enqueued_total', type: 'counter', ...ofBridge, labels: {} },
    says: 'Work items added to the queue, coalesced ones included.',
    next: 'Nothing.',
  }),
  swept: metric({
    ...{ name: 'millrace_bridge_items_swept_total', type: 'counter', ...ofBridge },
    says: 'Work items added without an event, by reason.',
    next: '`store-lost-data`: Redis was emptied. `took-over`: another bridge leads now. The others are as it should be.',
    labels: { reason: ['unfinished', 'left-behind', 'store-lost-data', 'took-over'] },
  }),
  leading: metric({
    ...{ name: 'millrace_bridge_leading', type: 'gauge', by: 'bridge', unit: 'flag', labels: {} },
    says: '1 while this bridge publishes, 0 while it stands by.',
    next: 'No bridge with 1: look at the Lease millrace-bridge and at the log of the bridges.',
  }),
};

const counted = {
  lists: metric({
    ...{ name: 'millrace_reflector_lists_total', type: 'counter', ...ofBridge, ...ofKind },
    says: 'Complete lists taken in.',
    next: 'Many for one kind: its watch breaks; see the log of the bridge.',
  }),
  reconnects: metric({
    ...{ name: 'millrace_reflector_reconnects_total', type: 'counter', ...ofBridge, ...ofKind },
    says: 'Watches opened after the first.',
    next: 'More than one in some minutes: something between bridge and API server closes connections.',
  }),
  events: metric({
    ...{ name: 'millrace_reflector_events_total', type: 'counter', ...ofBridge, ...ofKind },
    says: 'Watch events read, bookmarks left out.',
    next: 'Nothing.',
  }),
  refused: metric({
    ...{ name: 'millrace_reflector_refused_total', type: 'counter', ...ofBridge, ...ofKind },
    says: 'Lists and events that are older than what is known.',
    next: 'See millrace_reflector_lists_refused_in_a_row.',
  }),
  startedOver: metric({
    ...{ name: 'millrace_reflector_started_over_total', type: 'counter', ...ofBridge, ...ofKind },
    says: 'Times the cluster was taken back and everything was published again.',
    next: 'Nothing after a restore of etcd; else find out who restored it.',
  }),
  redeliveries: metric({
    ...{ name: 'millrace_reflector_redeliveries_total', type: 'counter', ...ofBridge, ...ofKind },
    says: 'Deliveries that journal or queue did not take.',
    next: 'Look at Redis; the bridge waits for it, and nothing is dropped.',
  }),
} satisfies Readonly<Partial<Record<keyof ReflectorStats, Metric<'kind'>>>>;

export const reflectorMetrics = {
  ...counted,
  refusedInARow: metric({
    ...{ name: 'millrace_reflector_lists_refused_in_a_row', type: 'gauge', ...ofBridge, ...ofKind },
    says: 'Above 0 the API server shows an older state than what is known.',
    next: 'Wait a few minutes after a restore of etcd; else an API server lags behind or is cut off.',
  }),
  lastEvent: metric({
    ...{ name: 'millrace_reflector_last_event_timestamp_seconds', type: 'gauge', by: 'bridge' },
    ...{ unit: 'seconds', ...ofKind },
    says: 'Time of the last line of the watch, including bookmarks.',
    next: 'Minutes ago: the watch is stuck; the bridge opens another one by itself.',
  }),
  state: metric({
    ...{ name: 'millrace_reflector_state', type: 'gauge', by: 'bridge', unit: 'flag' },
    says: '1 for the state that the reflector is in.',
    next: '`listing` or `stale` for more than a minute: the log of the bridge says why it cannot list.',
    labels: { kind: 'kind', state: states },
  }),
};

/** Metrics of the bridge. Labels are bounded by watched kinds, states and reasons. */
export function createBridgeMetrics(registry: Registry): BridgeMetrics {
  return {
    published: counterOf(bridgeMetrics.published, registry),
    filtered: counterOf(bridgeMetrics.filtered, registry),
    items: counterOf(bridgeMetrics.items, registry),
    swept: counterOf(bridgeMetrics.swept, registry),
    leading: gaugeOf(bridgeMetrics.leading, registry),
  };
}

type Stats = Readonly<Record<string, ReflectorStats>>;

/** Exposes the counters of the reflectors. They are read when the metrics are collected. */
export function exposeReflectors(registry: Registry, stats: () => Stats): void {
  for (const field of Object.keys(counted) as (keyof typeof counted)[]) {
    counterOf(counted[field], registry, function () {
      this.reset();
      for (const [kind, of] of Object.entries(stats())) this.inc({ kind }, of[field]);
    });
  }
  gaugeOf(reflectorMetrics.refusedInARow, registry, function () {
    for (const [kind, of] of Object.entries(stats())) this.set({ kind }, of.refusedInARow);
  });
  gaugeOf(reflectorMetrics.lastEvent, registry, function () {
    for (const [kind, of] of Object.entries(stats())) this.set({ kind }, of.lastEventAtMs / 1_000);
  });
  gaugeOf(reflectorMetrics.state, registry, function () {
    for (const [kind, of] of Object.entries(stats())) {
      for (const state of states) this.set({ kind, state }, of.state === state ? 1 : 0);
    }
  });
}
