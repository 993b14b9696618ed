/** The Grafana dashboard. What an operator needs first is at the top. */
import type { JsonObject } from '#shared/domain/objects.ts';

export const dashboardFile = 'millrace.json';

export interface Panel {
  readonly title: string;
  /** The content of the panel. */
  readonly description: string;
  /** Grafana's name of the unit. */
  readonly unit: 's' | 'short' | 'ops' | 'bytes' | 'percentunit' | 'dateTimeFromNow';
  readonly kind?: 'stat';
  /**
   * Why `millrace up` has no series for it. Absent: it has some once one flow has completed and another has failed.
   */
  readonly absentFromUp?: string;
  /** PromQL, and the legend of its series. */
  readonly queries: readonly (readonly [expr: string, legend: string])[];
}

const quantiles = (metric: string, by: string): Panel['queries'] =>
  (['0.5', '0.99'] as const).map((quantile) => [
    `histogram_quantile(${quantile}, sum by (le, ${by}) (rate(${metric}_bucket[$__rate_interval])))`,
    `p${Number(quantile) * 100} {{${by}}}`,
  ]);
const rate = (metric: string, ...by: readonly string[]): Panel['queries'] => [
  [
    `sum by (${by.join(', ')}) (rate(${metric}[$__rate_interval]))`,
    by.map((label) => `{{${label}}}`).join(' '),
  ],
];

const noRequests = 'Its processes call the API server without HTTP.';

export const rows: readonly (readonly [title: string, ...panels: Panel[]])[] = [
  [
    'Does it work?',
    {
      title: 'Leading bridges',
      description: 'One. With 0 nothing that changes is noticed.',
      unit: 'short',
      kind: 'stat',
      queries: [['sum(millrace_bridge_leading)', 'leading']],
    },
    {
      title: 'Queue last read',
      description: 'Seconds ago. Above 60 s Redis is away.',
      unit: 's',
      kind: 'stat',
      queries: [['time() - max(millrace_queue_sampled_timestamp_seconds)', 'ago']],
    },
    {
      title: 'Parked items',
      description: '`millrace queue` prints them with their reasons.',
      unit: 'short',
      kind: 'stat',
      queries: [['sum(max by (function) (millrace_queue_items{state="parked"}))', 'parked']],
    },
    {
      title: 'First certificate to expire',
      description: 'Of the admissions.',
      unit: 's',
      kind: 'stat',
      absentFromUp: 'Its admissions have no certificate of their own.',
      queries: [['min(millrace_certificate_expiry_timestamp_seconds) - time()', 'left']],
    },
  ],
  [
    'Work of users',
    {
      title: 'Started, completed, failed',
      description: 'Objects a second, by kind.',
      unit: 'ops',
      queries: [
        [
          'sum by (kind, action) (rate(millrace_transitions_total{action=~"Start|Complete|Fail"}[$__rate_interval]))',
          '{{kind}} {{action}}',
        ],
      ],
    },
    {
      title: 'Warnings',
      description: 'Events of type Warning a second, by what was attempted.',
      unit: 'ops',
      queries: [
        [
          'sum by (kind, action) (rate(millrace_transitions_total{type="Warning"}[$__rate_interval]))',
          '{{kind}} {{action}}',
        ],
      ],
    },
  ],
  [
    'Queue',
    {
      title: 'Waiting items',
      description: 'What is due and not taken yet.',
      unit: 'short',
      queries: [['max by (function) (millrace_queue_items{state="waiting"})', '{{function}}']],
    },
    {
      title: 'Longest wait',
      description: 'How long the item has waited that is next.',
      unit: 's',
      queries: [['max by (function) (millrace_queue_oldest_wait_seconds)', '{{function}}']],
    },
    {
      title: 'Deliveries',
      description: 'A second, by verdict.',
      unit: 'ops',
      queries: rate('millrace_deliveries_total', 'function', 'verdict'),
    },
    {
      title: 'Duration of deliveries',
      description: 'From taking an item to its verdict.',
      unit: 's',
      queries: quantiles('millrace_delivery_seconds', 'function'),
    },
  ],
  [
    'Decisions',
    {
      title: 'Decisions',
      description: 'A second, by outcome.',
      unit: 'ops',
      queries: rate('millrace_decisions_total', 'function', 'outcome'),
    },
    {
      title: 'Duration of their steps',
      description: 'Observing, deciding and applying.',
      unit: 's',
      queries: quantiles('millrace_decision_step_seconds', 'step'),
    },
    {
      title: 'Writes',
      description: 'Operations a second that are in effect.',
      unit: 'ops',
      queries: rate('millrace_writes_total', 'done', 'resource'),
    },
  ],
  [
    'Admissions',
    {
      title: 'Reviews',
      description: 'A second, by outcome. Others than allowed, changed and denied have failed.',
      unit: 'ops',
      queries: rate('millrace_reviews_total', 'admission', 'outcome'),
    },
    {
      title: 'Duration of reviews',
      description: 'The API server waits for it.',
      unit: 's',
      queries: quantiles('millrace_review_duration_seconds', 'admission'),
    },
  ],
  [
    'Watches and API server',
    {
      title: 'Events',
      description: 'A second: read from the API server, and published to functions.',
      unit: 'ops',
      queries: [
        [
          'sum by (kind) (rate(millrace_reflector_events_total[$__rate_interval]))',
          'read {{kind}}',
        ],
        [
          'sum by (kind) (rate(millrace_bridge_events_published_total[$__rate_interval]))',
          'published {{kind}}',
        ],
      ],
    },
    {
      title: 'Watches that are not current',
      description: 'None, but for a moment after a start.',
      unit: 'short',
      queries: [
        ['sum by (kind) (millrace_reflector_state{state=~"listing|stale|stopped"})', '{{kind}}'],
      ],
    },
    {
      title: 'Requests',
      description: 'A second, by verb and status.',
      unit: 'ops',
      absentFromUp: noRequests,
      queries: rate('millrace_api_request_seconds_count', 'verb', 'status'),
    },
    {
      title: 'Duration of requests',
      description: 'Watches left out.',
      unit: 's',
      absentFromUp: noRequests,
      queries: [
        [
          'histogram_quantile(0.99, sum by (le, verb) (rate(millrace_api_request_seconds_bucket{verb!="watch"}[$__rate_interval])))',
          'p99 {{verb}}',
        ],
      ],
    },
  ],
  [
    'Processes',
    {
      title: 'CPU',
      description: 'Cores, by Pod.',
      unit: 'short',
      queries: [
        [
          'sum by (pod) (rate(process_cpu_seconds_total{job=~".+/millrace"}[$__rate_interval]))',
          '{{pod}}',
        ],
      ],
    },
    {
      title: 'Memory',
      description: 'Resident, by Pod.',
      unit: 'bytes',
      queries: [['sum by (pod) (process_resident_memory_bytes{job=~".+/millrace"})', '{{pod}}']],
    },
    {
      title: 'Turned away',
      description: 'Requests a second that a full process did not take.',
      unit: 'ops',
      queries: rate('millrace_http_shed_total', 'reason'),
    },
    {
      title: 'Clock',
      description: "How far machines are ahead of the API server's clock.",
      unit: 's',
      absentFromUp: 'It has one clock for the API server and for Millrace.',
      queries: [['max by (pod) (millrace_clock_offset_seconds)', '{{pod}}']],
    },
  ],
];

const width = 24;
const statHeight = 4;
const graphHeight = 8;

/** For Grafana 10 and newer. */
export function dashboardJson(): string {
  const panels: JsonObject[] = [];
  let y = 0;
  for (const [title, ...members] of rows) {
    panels.push({
      ...{ id: panels.length + 1, type: 'row', title, collapsed: false, panels: [] },
      gridPos: { x: 0, y, w: width, h: 1 },
    });
    y += 1;
    const w = width / members.length;
    const h = members.every(({ kind }) => kind === 'stat') ? statHeight : graphHeight;
    for (const [index, panel] of members.entries()) {
      panels.push(panelJson(panel, panels.length + 1, { x: index * w, y, w, h }));
    }
    y += h;
  }
  const dashboard = {
    ...{ uid: 'millrace', title: 'Millrace', tags: ['millrace'], schemaVersion: 39, version: 1 },
    ...{ editable: true, refresh: '30s', time: { from: 'now-6h', to: 'now' }, timezone: 'browser' },
    templating: {
      list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }],
    },
    panels,
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

function panelJson(
  {
    title,
    description,
    unit,
    kind = 'timeseries',
    queries,
  }: Omit<Panel, 'kind'> & { kind?: string },
  id: number,
  gridPos: JsonObject,
): JsonObject {
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  return {
    ...{ id, type: kind, title, description, gridPos, datasource },
    fieldConfig: { defaults: { unit }, overrides: [] },
    options: kind === 'stat' ? { colorMode: 'value' } : { legend: { displayMode: 'list' } },
    targets: queries.map(([expr, legendFormat], index) => ({
      ...{ refId: String.fromCharCode(65 + index), datasource, expr, legendFormat, range: true },
    })),
  };
}
