/** A real Prometheus scrapes a `millrace up`, loads the alert rules, and answers the queries of the dashboard. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { metrics } from '#functions/metrics.ts';
import { type RunningUp, runningUp } from '#functions/millrace/testing/running-up.ts';
import { alerts } from '#shared/installation/monitoring.ts';
import { counterOf, gaugeOf, histogramOf } from '#shared/runtime/process/metric.ts';
import { obtainOrSkip, reportProgress } from '#test/support/part-unavailable.ts';
import { writeAlertRules } from '#test/support/prometheus/alert-rules.ts';
import { obtainPrometheusUnlessQuick } from '#test/support/prometheus/program.ts';
import { findingsOf } from '#test/support/prometheus/promtool.ts';
import { type Prometheus, startPrometheus } from '#test/support/prometheus/start.ts';
import { type Panel, rows } from '../../deploy/manifests/dashboard.ts';

const slow = 120_000;
const programs = await obtainOrSkip(() => obtainPrometheusUnlessQuick(reportProgress));

interface Sample {
  readonly value: readonly [timeSeconds: number, value: string];
}

const stack = new AsyncDisposableStack();
let rulesFile: string;
let up: RunningUp;
let prometheus: Prometheus;

async function ask(query: string): Promise<readonly Sample[]> {
  const data = await prometheus.ask('/api/v1/query', { query });
  return (data as { readonly result: readonly Sample[] }).result;
}

/** A number. The graph of a quantile without observations has NaN and shows nothing. */
async function showsSomething(expr: string): Promise<boolean> {
  const samples = await ask(expr.replaceAll('$__rate_interval', '1m'));
  return samples.some(({ value: [, value] }) => Number.isFinite(Number(value)));
}

/** One flow that completes and one that fails, until Prometheus has read both ends. */
async function endFlows(round: number): Promise<void> {
  await up.createFlow(`hello-${round}`, { fetch: { sh: 'sleep 1' } });
  await up.createFlow(`broken-${round}`, { load: { sh: 'exit 3' } });
  for (const action of ['Complete', 'Fail']) {
    const ended = `millrace_transitions_total{kind="JobFlow",action="${action}"} >= ${round}`;
    await vi.waitFor(async () => expect(await ask(ended)).toHaveLength(1));
  }
}

const promtool = (args: readonly string[], input?: string) =>
  findingsOf(programs?.promtool ?? '', args, input);

const panelsWhere = (matches: (panel: Panel) => boolean) =>
  rows.flatMap(([, ...panels]) => panels).filter(matches);
const queriesOf = (panels: readonly Panel[]) =>
  panels.flatMap(({ title, queries }) => queries.map(([expr]) => [title, expr] as const));

describe.skipIf(programs === undefined)('Prometheus beside `millrace up`', () => {
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-monitoring-'));
    stack.defer(() => rm(folder, { recursive: true }));
    rulesFile = await writeAlertRules(folder);
    up = stack.use(await runningUp('--speed', '20'));
    const started = await startPrometheus({
      program: programs?.prometheus ?? '',
      // As the Prometheus operator names the targets of a PodMonitor.
      target: {
        url: new URL(up.metricsUrl),
        job: 'millrace/millrace',
        labels: { namespace: 'millrace', pod: 'up' },
      },
      rulesFile,
    });
    prometheus = stack.use(started);
    // A rate needs a growing series, and most series begin with the first flow.
    await endFlows(1);
    await endFlows(2);
  }, slow);
  afterAll(() => stack.disposeAsync());

  it('reads the metrics without a fault', async () => {
    const { activeTargets } = (await prometheus.ask('/api/v1/targets')) as {
      readonly activeTargets: readonly object[];
    };
    expect(activeTargets).toEqual([expect.objectContaining({ health: 'up', lastError: '' })]);
  });

  it.each(queriesOf(panelsWhere(({ absentFromUp }) => absentFromUp === undefined)))(
    'has something to draw for the panel %s: %s',
    async (_, expr) => {
      await expect.poll(() => showsSomething(expr)).toBe(true);
    },
  );

  it.each(queriesOf(panelsWhere(({ absentFromUp }) => absentFromUp !== undefined)))(
    'has no series for the panel %s, which is declared absent: %s',
    async (_, expr) => {
      expect(await ask(expr.replaceAll('$__rate_interval', '1m'))).toEqual([]);
    },
  );

  it.each(alerts.map(({ alert, expr }) => [alert, expr] as const))(
    'answers the expression of %s',
    async (_, expr) => {
      await expect(ask(expr)).resolves.toBeInstanceOf(Array);
    },
  );

  it('evaluates every alert rule, and raises none', async () => {
    const healthy = alerts.map(({ alert }) => ({ name: alert, health: 'ok', state: 'inactive' }));
    await expect
      .poll(async () => {
        const { groups } = (await prometheus.ask('/api/v1/rules')) as {
          readonly groups: readonly { readonly rules: readonly (typeof healthy)[number][] }[];
        };
        const rules = groups.flatMap((group) => group.rules);
        return rules.map(({ name, health, state }) => ({ name, health, state }));
      })
      .toEqual(healthy);
  });

  it('has rules in which promtool finds nothing', async () => {
    const findings = await promtool(['check', 'rules', '--lint=all', '--lint-fatal', rulesFile]);
    expect(findings).toBe('');
  });

  it('reads metrics in which promtool finds nothing', async () => {
    const text = await (await fetch(up.metricsUrl)).text();
    expect(await promtool(['check', 'metrics'], text)).toBe('');
  });

  it('has declarations of metrics in which promtool finds nothing', async () => {
    expect(await promtool(['check', 'metrics'], await everyMetric())).toBe('');
  });
});

/** As if one process exposed all of them. promtool ignores a metric without a sample. */
function everyMetric(): Promise<string> {
  const registry = new Registry();
  for (const metric of metrics) {
    const labels = Object.fromEntries(Object.keys(metric.labels).map((label) => [label, 'any']));
    if (metric.type === 'counter') counterOf(metric, registry).inc(labels);
    else if (metric.type === 'gauge') gaugeOf(metric, registry).inc(labels);
    else histogramOf(metric, registry).observe(labels, 1);
  }
  return registry.metrics();
}
