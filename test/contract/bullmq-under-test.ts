import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { joinBullmq, type QueueParty } from './queue-party.ts';
import type { PartiesUnderTest } from './work-queue-clocks.ts';
import type { QueueUnderTest } from './work-queue-contract.ts';

export const maxParked = 3;

/** Shorter than in production, so that a test gets a dead worker's item again within seconds. */
const settings = { lockMs: 2_000, stalledCheckMs: 500, closeGraceMs: 50, maxParked };

/** A queue in the given Redis, which must belong to the test, because `empty` flushes it. */
export function openBullmq(url: string, prefix = `{${randomUUID()}}`): QueueUnderTest {
  const options = { ...settings, prefix };
  const queue = createBullmqQueue({ url, log: silentLog, ...options });
  return {
    queue,
    dieHolding: (functionName) => takeAndDie([url, JSON.stringify(options), functionName]),
    empty: () => flushAll(url),
    close: () => queue.close(),
  };
}

/** Processes with clocks of their own, on one queue in the given Redis. */
export function openBullmqParties(url: string): PartiesUnderTest {
  const options = { ...settings, url, prefix: `{${randomUUID()}}` };
  const joined: QueueParty[] = [];
  return {
    join: async () => {
      const party = await joinBullmq(options);
      joined.push(party);
      return party;
    },
    close: async () => {
      await Promise.all(joined.map(({ queue }) => queue.close()));
    },
  };
}

export async function flushAll(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}

/** A real process that takes the item and is killed with SIGKILL while it holds the lease. */
export async function takeAndDie(args: readonly string[]): Promise<void> {
  const script = new URL('dying-worker.ts', import.meta.url).pathname;
  const worker = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(worker, 'exit');
  for await (const line of createInterface({ input: worker.stdout })) {
    if (!line.startsWith('took ')) throw new Error(`unexpected output of the worker: ${line}`);
    break;
  }
  worker.kill('SIGKILL');
  await exited;
}
