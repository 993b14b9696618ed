import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReflectorState, ReflectorStats } from '#shared/kube/reflector-options.ts';

export interface BridgeMetrics {
  readonly published: Counter<'kind' | 'change'>;
  readonly filtered: Counter<'kind'>;
  readonly items: Counter;
  readonly swept: Counter<'reason'>;
  readonly leading: Gauge;
}

const states: readonly ReflectorState[] = ['listing', 'synced', 'watching', 'stale', 'stopped'];

/** Metrics of the bridge; labels are bounded by watched kinds, states and reasons. */
export function createBridgeMetrics(registry: Registry): BridgeMetrics {
  const registers = [registry];
  return {
    published: new Counter({
      name: 'millrace_bridge_events_published_total',
      help: 'Changes that were recorded and enqueued.',
      labelNames: ['kind', 'change'],
      registers,
    }),
    filtered: new Counter({
      name: 'millrace_bridge_events_filtered_total',
      help: 'Changes that no decision depends on.',
      labelNames: ['kind'],
      registers,
    }),
    items: new Counter({
      name: 'millrace_bridge_items_enqueued_total',
      help: 'Work items added to the queue, coalesced ones included.',
      registers,
    }),
    swept: new Counter({
      name: 'millrace_bridge_items_swept_total',
      help: 'Work items added without an event, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    leading: new Gauge({
      name: 'millrace_bridge_leading',
      help: '1 while this bridge publishes, 0 while it stands by.',
      registers,
    }),
  };
}

type Stats = Readonly<Record<string, ReflectorStats>>;

/** What the reflectors count, read when the metrics are collected. */
export function exposeReflectors(registry: Registry, stats: () => Stats): void {
  exposeStates(registry, stats);
  const names = [
    ['lists', 'lists', 'Complete lists taken in.'],
    ['reconnects', 'reconnects', 'Watches opened after the first.'],
    ['events', 'events', 'Watch events read, bookmarks left out.'],
    ['refused', 'refused', 'Lists and events that are older than what is known.'],
    [
      'startedOver',
      'started_over',
      'Times the cluster was taken back and everything was published again.',
    ],
    ['redeliveries', 'redeliveries', 'Deliveries that journal or queue did not take.'],
  ] as const;
  for (const [field, name, help] of names) {
    new Counter({
      name: `millrace_reflector_${name}_total`,
      help,
      labelNames: ['kind'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [kind, of] of Object.entries(stats())) this.inc({ kind }, of[field]);
      },
    });
  }
  new Gauge({
    name: 'millrace_reflector_lists_refused_in_a_row',
    help: 'Above 0 the API server shows an older state than what is known.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, of] of Object.entries(stats())) this.set({ kind }, of.refusedInARow);
    },
  });
  new Gauge({
    name: 'millrace_reflector_last_event_timestamp_seconds',
    help: 'When the watch last said something, bookmarks included.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, of] of Object.entries(stats())) {
        this.set({ kind }, of.lastEventAtMs / 1_000);
      }
    },
  });
}

function exposeStates(registry: Registry, stats: () => Stats): void {
  new Gauge({
    name: 'millrace_reflector_state',
    help: '1 for the state that the reflector is in.',
    labelNames: ['kind', 'state'],
    registers: [registry],
    collect() {
      for (const [kind, of] of Object.entries(stats())) {
        for (const state of states) this.set({ kind, state }, of.state === state ? 1 : 0);
      }
    },
  });
}
