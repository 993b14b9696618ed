import { describe, expect, it } from 'vitest';
import { essenceOfRefusal, nextReadMs, readsEvents, reportedByEvents } from './missing-pod.ts';
import { asResourceVersion, asUid, type KubeObject } from './objects.ts';
import type { ObservedJob } from './observed-job.ts';
import { rfc3339 } from './time.ts';

const startMs = Date.UTC(2026, 0, 5, 10);
const after = (seconds: number): number => startMs + seconds * 1_000;

const job = (fields: Partial<ObservedJob> = {}): ObservedJob => ({
  name: 'etl-a',
  uid: asUid('job'),
  labels: {},
  annotations: {},
  suspend: false,
  startTime: rfc3339(startMs),
  conditions: [],
  pods: { active: 0, failed: 0 },
  ...fields,
});

const event = (reason: string, message: string, seconds: number, fields: object = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `e${seconds}`, uid: asUid('e'), resourceVersion: asResourceVersion('1') },
    ...{ reason, message, lastTimestamp: rfc3339(after(seconds)), ...fields },
  }) as KubeObject;

const quota = (pod: string, used: number): string =>
  `Error creating: pods "${pod}" is forbidden: exceeded quota: night, requested: pods=1, used: pods=${used}, limited: pods=2`;

describe('the Events of a Job', () => {
  it('are first read ten seconds after its start, then after twice the time each, from five minutes on every five', () => {
    const times: number[] = [];
    for (let ms = after(10); ms < after(1_800); ms = nextReadMs(after(10), ms)) times.push(ms);
    expect(times.map((ms) => (ms - startMs) / 1_000)).toEqual([
      10, 20, 40, 80, 160, 320, 620, 920, 1_220, 1_520,
    ]);
    for (const ms of times) expect(readsEvents(job(), 'FailedCreate', ms)).toBe(true);
  });

  it.each([
    ['before ten seconds', job(), undefined, 9.9],
    ['between the times, once a cause is on record', job(), 'FailedCreate', 30],
    ['between the times, once it is on record that none is known', job(), 'NoPod', 30],
    ['while it has a Pod', job({ pods: { active: 1, failed: 0 } }), undefined, 60],
    ['after a failed Pod', job({ pods: { active: 0, failed: 1 } }), undefined, 60],
    ['while its parallelism is 0', job({ startsNoPod: true }), undefined, 60],
    ['while its Pods are not known', job({ pods: undefined! }), undefined, 60],
  ])('are not read %s', (_, observed, said, seconds) => {
    expect(readsEvents(observed, said, after(seconds))).toBe(false);
  });

  it('are read at once where nothing is on record yet, however late it is', () => {
    expect(readsEvents(job(), undefined, after(700))).toBe(true);
    expect(readsEvents(job(), 'Unschedulable', after(700))).toBe(true);
  });

  it('report the last refusal, in the words of the API server', () => {
    const events = [
      event('FailedCreate', 'Error creating: no such service account', 2),
      event('FailedCreate', quota('etl-a-x7k2p', 2), 12),
      event('FailedCreate', 'Error creating: older', 1),
    ];
    expect(reportedByEvents(job(), events)).toEqual({
      refusal: quota('etl-a-x7k2p', 2).replace('Error creating: ', ''),
    });
  });

  it('report nothing of an earlier start of the Job, and nothing by other reasons', () => {
    const events = [
      event('FailedCreate', 'Error creating: before it was suspended', -5),
      event('Suspended', 'Job suspended', 3),
    ];
    expect(reportedByEvents(job(), events)).toEqual({});
  });

  it('report that a Pod was created since, which is no refusal', () => {
    const events = [
      event('FailedCreate', quota('etl-a-x7k2p', 2), 3),
      event('SuccessfulCreate', 'Created pod: etl-a-aaaaa', 9),
    ];
    expect(reportedByEvents(job(), events)).toEqual({ createdOne: true });
  });

  it('are taken by the time of their series, and without a time by that of their creation', () => {
    const series = { series: { count: 3, lastObservedTime: rfc3339(after(30)) } };
    const events = [
      event('FailedCreate', 'Error creating: series', 1, series),
      event('FailedCreate', 'Error creating: once', 20),
    ];
    expect(reportedByEvents(job(), events)).toEqual({ refusal: 'series' });
  });

  it('reach no terminal with what it would obey, and keep within a length', () => {
    const forged = `(combined from similar events): Error creating: \u001B[2J\r\nok${'x'.repeat(5_000)}`;
    const { refusal = '' } = reportedByEvents(job(), [event('FailedCreate', forged, 3)]);
    expect(refusal.startsWith('[2J  okxxx')).toBe(true);
    expect(refusal).toHaveLength(1_024);
  });

  it('may be anything, since other people write them', () => {
    const odd = { reason: 'FailedCreate', message: { no: 'text' }, lastTimestamp: 7 };
    expect(reportedByEvents(job(), [{ ...event('', '', 1), ...odd }])).toEqual({});
  });
});

describe('one refusal in two wordings', () => {
  it.each([
    ['names of Pods and counts', quota('etl-a-x7k2p', 2), quota('etl-a-99zzz', 17)],
    [
      'addresses and times',
      'failed calling webhook "w": Post "https://w": dial tcp 10.0.0.1:443: timeout after 2s at 2026-01-05T10:00:00Z',
      'failed calling webhook "w": Post "https://w": dial tcp 10.0.0.97:443: timeout after 10s at 2026-01-05T10:05:00Z',
    ],
  ])('is the same but for %s', (_, one, other) => {
    expect(essenceOfRefusal(one)).toBe(essenceOfRefusal(other));
  });

  it.each([
    ['quotas', 'exceeded quota: night-1, used: 1', 'exceeded quota: night-2, used: 1'],
    [
      'classes',
      'no PriorityClass with name p1 was found',
      'no PriorityClass with name p2 was found',
    ],
    ['accounts', 'service account ns/"2a" not found', 'service account ns/"2b" not found'],
  ])('is another one of other %s', (_, one, other) => {
    expect(essenceOfRefusal(one)).not.toBe(essenceOfRefusal(other));
  });
});
