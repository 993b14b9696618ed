/**
 * Speed of the work queue on BullMQ with a Redis of its own: `node test/bench/queue.ts`. It prints
 * figures without a verdict, because they depend on the machine; their ratios do so less.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { startRedis } from '#test/support/redis.ts';

const fn = 'bench';
const items = 5_000;
const idleRounds = 500;

interface Row {
  readonly what: string;
  readonly figure: string;
}

const redis = await startRedis();
const queue = createBullmqQueue({ url: redis.url, log: silentLog, prefix: '{bench}' });
const rows: Row[] = [];
try {
  await warmUp(queue);
  rows.push(await addOneByOne(queue), await addInBatches(queue), await addCoalesced(queue));
  for (const takers of [1, 10, 50]) rows.push(await takeAndAck(queue, takers));
  rows.push(...(await idleLatency(queue)));
} finally {
  await queue.close();
  await redis.stop();
}
console.table(rows);

function item(uid: string): WorkItem {
  const key = { apiVersion: 'v1', kind: 'Bench', namespace: 'n', name: uid, uid: asUid(uid) };
  return { function: fn, key, cause: asEventId('e') };
}

function manyItems(count: number): readonly WorkItem[] {
  return Array.from({ length: count }, (_, n) => item(`u${n}`));
}

async function warmUp(subject: WorkQueue): Promise<void> {
  await subject.add(manyItems(500));
  await drain(subject, 10, 500);
}

async function addOneByOne(subject: WorkQueue): Promise<Row> {
  const seconds = await timed(async () => {
    for (const one of manyItems(items / 5)) await subject.add([one]);
  });
  await drain(subject, 10, items / 5);
  return { what: 'add, one after the other', figure: perSecond(items / 5, seconds) };
}

async function addInBatches(subject: WorkQueue): Promise<Row> {
  const seconds = await timed(() => subject.add(manyItems(items)));
  await drain(subject, 10, items);
  return { what: 'add, in batches', figure: perSecond(items, seconds) };
}

async function addCoalesced(subject: WorkQueue): Promise<Row> {
  const burst = Array.from({ length: items }, (_, n) => item(`u${n % 50}`));
  const seconds = await timed(() => subject.add(burst));
  await drain(subject, 10, 50);
  return { what: 'add, 100 events per item', figure: perSecond(items, seconds) };
}

async function takeAndAck(subject: WorkQueue, takers: number): Promise<Row> {
  await subject.add(manyItems(items));
  const seconds = await timed(() => drain(subject, takers, items));
  return { what: `take and ack, ${takers} takers`, figure: perSecond(items, seconds) };
}

async function idleLatency(subject: WorkQueue): Promise<readonly Row[]> {
  const latencies: number[] = [];
  for (let round = 0; round < idleRounds; round += 1) {
    const taken = subject.take(fn, AbortSignal.timeout(10_000));
    await sleep(5);
    const from = performance.now();
    const added = subject.add([item(`u${round}`)]);
    const lease = await taken;
    latencies.push(performance.now() - from);
    await added;
    await lease?.ack();
  }
  latencies.sort((a, b) => a - b);
  return [50, 99].map((percent) => ({
    what: `idle, add to take, p${percent}`,
    figure: `${(latencies[Math.floor((latencies.length * percent) / 100)] ?? 0).toFixed(2)} ms`,
  }));
}

async function drain(subject: WorkQueue, takers: number, count: number): Promise<void> {
  const stop = new AbortController();
  let left = count;
  const work = async () => {
    for (;;) {
      const lease = await subject.take(fn, stop.signal);
      if (lease === undefined) return;
      await lease.ack();
      left -= 1;
      if (left === 0) stop.abort();
    }
  };
  await Promise.all(Array.from({ length: takers }, work));
}

async function timed(run: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await run();
  return (performance.now() - from) / 1_000;
}

function perSecond(count: number, seconds: number): string {
  return `${Math.round(count / seconds)} per s`;
}
