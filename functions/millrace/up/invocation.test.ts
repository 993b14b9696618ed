import { afterEach, beforeEach, expect, test } from 'vitest';
import { subscriptions } from '#functions/list.ts';
import type { Deliver } from '#functions/dispatcher/deliver.ts';
import { workItem } from '#functions/dispatcher/testing/work-item.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { dueEvent } from '#shared/events/due-event.ts';
import { createMemoryQueue, type MemoryQueue } from '#shared/queue/memory-queue.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createStoredCluster } from '#shared/runtime/testing/stored-cluster.ts';
import { invocation, type Invoke } from './invocation.ts';
import { NextDeliveries } from './next-deliveries.ts';

const never = new AbortController().signal;
const item = workItem('a');
const event = dueEvent(item, 'invoke');

let queue: MemoryQueue;
let deliveries: NextDeliveries;
let invoke: Invoke;
beforeEach(() => {
  queue = createMemoryQueue({ clock: systemClock });
  deliveries = new NextDeliveries();
  const { reader } = createStoredCluster();
  invoke = invocation({ subscriptions, reader, queue, deliveries });
});
afterEach(() => queue.close());

/** Takes one item of flow-advance and delivers it, like a worker. */
async function work(deliver: Deliver): Promise<WorkItem | undefined> {
  const lease = await queue.take('flow-advance', never);
  if (lease === undefined) return undefined;
  await deliveries.listeningTo(deliver)(lease.item, never);
  await lease.ack();
  return lease.item;
}

test('the object is delivered from the queue, and its verdict is that of the function', async () => {
  const verdict = invoke('flow-advance', event, never);
  const taken = await work(async () => ({ kind: 'requeue', afterMs: 12_000 }));
  expect(taken).toEqual(item);
  expect(await verdict).toEqual({ kind: 'requeue', afterMs: 12_000 });
  expect(await queue.depth('flow-advance')).toMatchObject({ waiting: 0, running: 0 });
});

test('an object that is worked on is delivered once more afterwards, and that verdict counts', async () => {
  await queue.add([item]);
  const underWay = await queue.take('flow-advance', never);
  const verdict = invoke('flow-advance', event, never);
  await underWay?.park('the run before');
  await work(async () => ({ kind: 'parked', detail: 'the run after' }));
  expect(await verdict).toEqual({ kind: 'parked', detail: 'the run after' });
});

test('who leaves is not waited for, and the item stays queued', async () => {
  const gone = new AbortController();
  const verdict = invoke('flow-advance', event, gone.signal);
  gone.abort();
  expect(await verdict).toEqual({ kind: 'later', detail: 'nobody waits; it is queued' });
  expect(await queue.depth('flow-advance')).toMatchObject({ waiting: 1 });
});

test('an event that a function does not take is refused before anything is queued', async () => {
  const other = { ...event, type: 'org.example.push' };
  await expect(invoke('flow-advance', other, never)).rejects.toMatchObject({
    code: 'MR_EVENT_UNROUTABLE',
  });
  expect(await invoke('flow-adv', event, never)).toBeUndefined();
  expect(await queue.depth('flow-advance')).toMatchObject({ waiting: 0 });
});
