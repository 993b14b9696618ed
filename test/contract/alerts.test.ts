/** promtool evaluates the alerts: each one fires for its series. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { alerts } from '#shared/installation/monitoring.ts';
import { obtainOrSkip, reportProgress } from '#test/support/part-unavailable.ts';
import { writeAlertRules } from '#test/support/prometheus/alert-rules.ts';
import { obtainPrometheusUnlessQuick } from '#test/support/prometheus/program.ts';
import { findingsOf } from '#test/support/prometheus/promtool.ts';

const programs = await obtainOrSkip(() => obtainPrometheusUnlessQuick(reportProgress));

interface Case {
  readonly alert: string;
  readonly when: string;
  /** A value every 30 s: `_x3 1x20` is absent three times, then 1 for ten minutes. */
  readonly series: Readonly<Record<string, string>>;
  readonly after: string;
  /** Default true. */
  readonly isRaised?: boolean;
}

const failed = (kind: string) => `millrace_transitions_total{kind="${kind}",action="Fail"}`;
const completed = (kind: string) => `millrace_transitions_total{kind="${kind}",action="Complete"}`;
const reviews = (outcome: string) =>
  `millrace_reviews_total{admission="suspension",outcome="${outcome}"}`;
const expiry = 'millrace_certificate_expiry_timestamp_seconds';
const days = 86_400;

const cases: readonly Case[] = [
  { alert: 'MillraceNoLeader', when: 'no bridge is there', series: {}, after: '3m' },
  {
    ...{ alert: 'MillraceNoLeader', when: 'each bridge stands by', after: '3m' },
    series: {
      'millrace_bridge_leading{pod="a"}': '0x10',
      'millrace_bridge_leading{pod="b"}': '0x10',
    },
  },
  {
    ...{
      alert: 'MillraceNoLeader',
      when: 'one of two bridges leads',
      after: '3m',
      isRaised: false,
    },
    series: {
      'millrace_bridge_leading{pod="a"}': '0x10',
      'millrace_bridge_leading{pod="b"}': '1x10',
    },
  },
  {
    ...{ alert: 'MillraceRedisAway', when: 'the queue was last read minutes ago', after: '4m' },
    series: { millrace_queue_sampled_timestamp_seconds: '0+30x3 90x10' },
  },
  {
    ...{ alert: 'MillraceRedisAway', when: 'the queue is read', after: '4m', isRaised: false },
    series: { millrace_queue_sampled_timestamp_seconds: '0+30x10' },
  },
  {
    ...{ alert: 'MillraceQueueWaits', when: 'an item waits for long', after: '2m' },
    series: { 'millrace_queue_oldest_wait_seconds{function="flow-advance"}': '301x10' },
  },
  {
    ...{ alert: 'MillraceReviewsFail', when: 'a review fails for the first time', after: '3m' },
    series: { [reviews('MR_OBJECT_INVALID')]: '_x3 1x20', [reviews('allowed')]: '0+1x20' },
  },
  {
    ...{ alert: 'MillraceReviewsFail', when: 'more reviews fail', after: '20m' },
    series: { [reviews('MR_OBJECT_INVALID')]: '1x36 2x20' },
  },
  {
    ...{ alert: 'MillraceReviewsFail', when: 'none failed lately', after: '20m', isRaised: false },
    series: { [reviews('MR_OBJECT_INVALID')]: '1x60', [reviews('denied')]: '0+1x60' },
  },
  {
    ...{ alert: 'MillraceWorkFails', when: 'more fail than complete', after: '10m' },
    series: { [failed('JobFlow')]: '0+1x20', [completed('JobFlow')]: '0x20' },
  },
  {
    ...{ alert: 'MillraceWorkFails', when: 'more complete than fail', after: '10m' },
    ...{ isRaised: false },
    series: { [failed('JobFlow')]: '0+1x20', [completed('JobFlow')]: '0+2x20' },
  },
  {
    ...{ alert: 'MillraceItemsParked', when: 'an item was parked', after: '3m' },
    series: { 'millrace_parked_total{function="flow-advance"}': '0x3 1x20' },
  },
  {
    ...{ alert: 'MillraceClockOff', when: 'a clock is behind for long', after: '6m' },
    series: { millrace_clock_offset_seconds: '-31x20' },
  },
  {
    ...{ alert: 'MillraceCertificateExpires', when: 'it was not renewed', after: '70m' },
    series: { [expiry]: `${13 * days}x200` },
  },
  {
    ...{ alert: 'MillraceCertificateExpires', when: 'it has weeks left', after: '70m' },
    ...{ isRaised: false, series: { [expiry]: `${15 * days}x200` } },
  },
  {
    ...{ alert: 'MillraceCertificateUnusable', when: 'its files stay unusable', after: '11m' },
    series: { millrace_certificate_reload_failed: '1x30' },
  },
  {
    ...{ alert: 'MillraceDeliveriesUnauthenticated', when: 'one was refused', after: '3m' },
    series: { 'millrace_http_unauthenticated_total{reason="clock"}': '0x3 1x20' },
  },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-alerts-'));
  await writeAlertRules(folder);
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns promtool's findings. Empty: none. */
async function evaluate({ alert, series, after, isRaised = true }: Case): Promise<string> {
  const path = join(folder, 'tests.yaml');
  const test = {
    interval: '30s',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: after,
        exp_samples: isRaised ? [{ labels: '{}', value: 1 }] : [],
      },
    ],
  };
  const file = { rule_files: ['rules.yaml'], evaluation_interval: '30s', tests: [test] };
  await writeFile(path, stringify(file));
  return findingsOf(programs?.promtool ?? '', ['test', 'rules', path]);
}

describe.skipIf(programs === undefined)('an alert', () => {
  it('has a case in which it is raised', () => {
    const raised = cases.filter(({ isRaised }) => isRaised !== false).map(({ alert }) => alert);
    expect(new Set(raised)).toEqual(new Set(alerts.map(({ alert }) => alert)));
  });

  it.each(
    cases.map(
      (each) => [each.alert, each.isRaised === false ? 'not ' : '', each.when, each] as const,
    ),
  )('%s is %sraised when %s', async (_, __, ___, each) => {
    expect(await evaluate(each)).toBe('');
  });
});
