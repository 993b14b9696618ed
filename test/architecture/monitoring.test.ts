/** Alerts and the dashboard use only existing metrics, and each alert links to instructions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { metrics } from '#functions/metrics.ts';
import { defaultRunbookUrl } from '#shared/installation/default-settings.ts';
import { alerts, runbookOf } from '#shared/installation/monitoring.ts';
import { createRegistry } from '#shared/runtime/process/telemetry.ts';
import { dashboardJson, rows } from '../../deploy/manifests/dashboard.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { anchorsOf } from './links.ts';
import { faultsOfQuery } from './prometheus-queries.ts';

const ofNode = new Set(
  createRegistry()
    .getMetricsAsArray()
    .map(({ name }) => name),
);
const faultsOf = (expr: string, legend?: string) => faultsOfQuery(expr, metrics, ofNode, legend);

describe.each(alerts.map((alert) => [alert.alert, alert] as const))('%s', (_, alert) => {
  it('asks for metrics and labels that exist', () => {
    expect(faultsOf(alert.expr)).toEqual([]);
  });

  it('leads to a section of the runbook', () => {
    const { origin, pathname, hash } = new URL(runbookOf(alert, defaultRunbookUrl));
    expect(origin).toBe(packageJson.homepage);
    const anchor = hash.slice(1);
    const text = readFileSync(join(import.meta.dirname, '../..', pathname), 'utf8');
    expect(anchorsOf(text)).toContain(anchor);
  });
});

it('each section about an alert is of one that exists', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
  const sections = [...text.matchAll(/^### (Millrace\w+)$/gm)].map(([, name]) => name);
  expect(sections.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
});

describe('the dashboard', () => {
  const panels = rows.flatMap(([, ...members]) => members);

  it.each(panels.map((panel) => [panel.title, panel] as const))(
    'asks for metrics and labels that exist: %s',
    (_, { queries }) => {
      expect(queries.flatMap(([expr, legend]) => faultsOf(expr, legend))).toEqual([]);
    },
  );

  it('has every panel, beside and below one another', () => {
    const dashboard = JSON.parse(dashboardJson()) as {
      readonly panels: readonly {
        readonly id: number;
        readonly type: string;
        readonly title: string;
        readonly gridPos: {
          readonly x: number;
          readonly y: number;
          readonly w: number;
          readonly h: number;
        };
      }[];
    };
    const drawn = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(drawn.map(({ title }) => title)).toEqual(panels.map(({ title }) => title));
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const taken = new Set<string>();
    for (const { gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken).not.toContain(`${x},${y}`);
          taken.add(`${x},${y}`);
        }
      }
    }
  });
});

it.each([
  ['sum(millrace_absent_total)', 'there is no metric millrace_absent_total'],
  ['millrace_queue_items{status="waiting"}', 'millrace_queue_items has no label status'],
  ['millrace_queue_items{state="late"}', 'state of millrace_queue_items is never late'],
  ['sum by (node) (millrace_queue_items)', 'no metric of the query has the label node'],
  ['rate(millrace_delivery_seconds[5m])', 'there is no metric millrace_delivery_seconds'],
])('a query with an undeclared name is reported: %s', (expr, fault) => {
  expect(faultsOf(expr)).toEqual([fault]);
});
