/**
 * One party of a work queue on BullMQ, in a thread whose wall clock is set from outside, because
 * BullMQ's own code reads Date.now. Timers and the monotonic clock are unchanged.
 */
import { parentPort } from 'node:worker_threads';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { Lease, WorkQueue } from '#shared/queue/work-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import type { PartyCall, PartyMessage } from './queue-party.ts';
import { showing } from './wrong-clock.ts';

const realNow = Date.now;
let queue: WorkQueue | undefined;
const takes = new Map<number, AbortController>();
const leases = new Map<number, Lease>();

parentPort?.on('message', (call: PartyCall) => {
  answer(call).then(
    (result) => say({ kind: 'reply', id: call.id, result }),
    (error: unknown) => say({ kind: 'failure', id: call.id, error }),
  );
});

function say(message: PartyMessage): void {
  parentPort?.postMessage(message);
}

async function answer(call: PartyCall): Promise<unknown> {
  switch (call.kind) {
    case 'open':
      queue = createBullmqQueue({ log: silentLog, ...call.options });
      return;
    case 'setClock':
      Date.now = showing(call.clock, realNow);
      return;
    case 'add':
      return queue?.add(call.items);
    case 'take':
      return take(call.id, call.functionName);
    case 'stopTaking':
      takes.get(call.take)?.abort();
      return;
    case 'settle':
      return settle(call);
    case 'depth':
      return queue?.depth(call.functionName);
    case 'parked':
      return queue?.parked(call.functionName);
    case 'dropParked':
      return queue?.dropParked(call.item);
    case 'close':
      await queue?.close();
      Date.now = realNow;
      return;
  }
}

async function take(id: number, functionName: string): Promise<unknown> {
  const stop = new AbortController();
  takes.set(id, stop);
  const lease = await queue?.take(functionName, stop.signal);
  takes.delete(id);
  if (lease === undefined) return undefined;
  leases.set(id, lease);
  lease.signal.addEventListener('abort', () => say({ kind: 'lost', lease: id }), { once: true });
  return { item: lease.item, failures: lease.failures };
}

async function settle(call: Extract<PartyCall, { kind: 'settle' }>): Promise<void> {
  const lease = leases.get(call.lease);
  if (call.verb === 'ack') await lease?.ack();
  else if (call.verb === 'park') await lease?.park(call.reason ?? '');
  else await lease?.later(call.afterMs ?? 0, { failed: call.failed ?? false });
}
