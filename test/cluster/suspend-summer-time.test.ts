/**
 * Windows on the days on which summer time begins and ends, on the real API server. Only Millrace's clock differs: it
 * is set to some seconds before the relevant moment and runs at normal speed.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { suspendSchedule } from '#functions/suspend-schedule/function.ts';
import type { SuspendPolicy, SuspendPolicyStatus } from '#shared/api/suspend-policy.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { type ChaosStack, openChaosStack } from '#test/support/chaos/chaos-stack.ts';
import { clockBeginningAt } from '#test/support/clock-beginning-at.ts';
import { type FlowWorld, has } from '#test/support/flow-world.ts';
import { describeWithCluster } from '#test/support/require.ts';
import { changesOf } from '#test/support/suspension/disturbed-night.ts';
import { batchJob, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';

const hourMs = 3_600_000;
/** The clock starts this long before each moment. Milliseconds. */
const aheadMs = 4_000;
/** After a moment without a transition, the watch continues for this long. */
const afterMs = 4_000;

interface Moment {
  readonly at: string;
  readonly happens: 'it opens' | 'it closes' | 'nothing';
  /** The next transition in the status afterwards. */
  readonly next: string;
}

interface Day {
  readonly day: string;
  readonly timeZone: string;
  readonly open: string;
  readonly close: string;
  readonly moments: readonly Moment[];
}

const days: readonly Day[] = [
  {
    day: 'opens at 03:00 in Berlin where 02:30 is left out',
    timeZone: 'Europe/Berlin',
    open: '30 2 * * *',
    close: '0 6 * * *',
    moments: [
      { at: '2026-03-29T01:00:00Z', happens: 'it opens', next: '2026-03-29T04:00:00Z' },
      { at: '2026-03-29T04:00:00Z', happens: 'it closes', next: '2026-03-30T00:30:00Z' },
    ],
  },
  {
    day: 'opens once in Berlin where 02:30 comes twice',
    timeZone: 'Europe/Berlin',
    open: '30 2 * * *',
    close: '40 2 * * *',
    moments: [
      { at: '2026-10-25T00:30:00Z', happens: 'it opens', next: '2026-10-25T00:40:00Z' },
      { at: '2026-10-25T00:40:00Z', happens: 'it closes', next: '2026-10-26T01:30:00Z' },
      { at: '2026-10-25T01:30:00Z', happens: 'nothing', next: '2026-10-26T01:30:00Z' },
    ],
  },
  {
    day: 'opens at 02:30 on Lord Howe Island where half an hour is left out',
    timeZone: 'Australia/Lord_Howe',
    open: '15 2 * * *',
    close: '45 2 * * *',
    moments: [
      { at: '2026-10-03T15:30:00Z', happens: 'it opens', next: '2026-10-03T15:45:00Z' },
      { at: '2026-10-03T15:45:00Z', happens: 'it closes', next: '2026-10-04T15:15:00Z' },
    ],
  },
  {
    day: 'opens once on Lord Howe Island where half an hour comes twice',
    timeZone: 'Australia/Lord_Howe',
    open: '45 1 * * *',
    close: '50 1 * * *',
    moments: [
      { at: '2026-04-04T14:45:00Z', happens: 'it opens', next: '2026-04-04T14:50:00Z' },
      { at: '2026-04-04T14:50:00Z', happens: 'it closes', next: '2026-04-05T15:15:00Z' },
      { at: '2026-04-04T15:15:00Z', happens: 'nothing', next: '2026-04-05T15:15:00Z' },
    ],
  },
];

describeWithCluster('a window on the day of a change of summer time (scenario 55)', (cluster) => {
  let stack: ChaosStack;
  beforeAll(async () => {
    stack = await openChaosStack(cluster);
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it.concurrent.each(days)('$day', async ({ day, moments, timeZone, open, close }) => {
    const world = await stack.world(`summer-time-${days.findIndex((each) => each.day === day)}`);
    const windows = [{ name: 'short', open, close }];
    await world.apply(
      batchJob('etl'),
      suspendPolicy('nights', { schedule: { timeZone, windows } }),
    );
    await world.untilRunning('etl');
    await holdBefore(world, Date.parse(moments[0]?.at ?? ''));
    for (const moment of moments) await liveThrough(world, moment);
    const toHappen = moments.filter(({ happens }) => happens !== 'nothing');
    expect(changesOf(world, 'etl').map(({ suspend }) => suspend)).toEqual([
      ...[false, true],
      ...toHappen.map(({ happens }) => happens === 'it closes'),
    ]);
  });

  /** The window is closed in the hour before, in every case. */
  async function holdBefore(world: FlowWorld, momentMs: number): Promise<void> {
    const clock = clockBeginningAt(systemClock, momentMs - hourMs);
    const millrace = stack.millrace(world, undefined, suspendSchedule, clock);
    await world.untilJob('etl', 'is Suspended', (job) => has(job, 'Suspended'));
    await untilStatus(world, { state: 'Closed' });
    await millrace.discard();
  }

  /** A new Millrace, which knows only what is in the cluster. */
  async function liveThrough(world: FlowWorld, { at, happens, next }: Moment): Promise<void> {
    const atMs = Date.parse(at);
    const clock = clockBeginningAt(systemClock, atMs - aheadMs);
    const begunMs = Date.now();
    const millrace = stack.millrace(world, undefined, suspendSchedule, clock);
    try {
      const before = changesOf(world, 'etl').length;
      const change = () => changesOf(world, 'etl').at(before);
      if (happens === 'nothing') {
        await vi.waitUntil(() => millrace.synced);
        const leftMs = begunMs + aheadMs - Date.now();
        const isAsBefore = () => change() === undefined;
        await world.throughout(Math.max(0, leftMs) + afterMs, 'it stays closed', isAsBefore);
      } else {
        const changed = await world.until(happens, change);
        expect(changed.suspend).toBe(happens === 'it closes');
        expect(changed.atMs).toBeGreaterThanOrEqual(begunMs + aheadMs);
        const state = changed.suspend ? 'Closed' : 'Open';
        await untilStatus(world, { state, lastTransition: rfc3339(atMs) });
      }
      await untilStatus(world, { nextTransition: next });
    } finally {
      await millrace.discard();
    }
  }
});

async function statusOf({ api, namespace }: FlowWorld) {
  const found = await api.get('SuspendPolicy', { namespace, name: 'nights' });
  return (found as unknown as SuspendPolicy | undefined)?.status;
}

/** Waits until its status says so. */
async function untilStatus(world: FlowWorld, status: SuspendPolicyStatus): Promise<void> {
  const isSo = async () => {
    expect(await statusOf(world)).toMatchObject(status);
  };
  await vi.waitFor(isSo, { interval: 200 });
}
