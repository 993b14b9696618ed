/** Reads and writes the Redis content of a running Millrace from outside. */
import { functions } from '#functions/list.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { readDecisions, type RestoredDecision } from '#shared/journal/decision-reader.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import type { ParkedItem, WorkQueue } from '#shared/queue/work-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { patienceMs } from '../patience.ts';

/** Location of one cluster's Millrace in Redis. */
export interface RedisPlace {
  readonly url: string;
  readonly prefix: string;
}

/** A busy machine answers late, which is not a failure. */
const patient = { log: silentLog, timeoutMs: patienceMs };

/** Oldest first. Throws if one is cut off, because a test's journal drops nothing. */
export async function recordedDecisions(place: RedisPlace): Promise<readonly RestoredDecision[]> {
  const journal = createRedisJournal({ ...place, ...patient });
  try {
    const decisions: RestoredDecision[] = [];
    for await (const read of readDecisions(journal)) {
      if (read.kind === 'cutOff') throw new Error(read.why);
      decisions.push(read.decision);
    }
    return decisions;
  } finally {
    await journal.close();
  }
}

export async function enqueue(place: RedisPlace, items: readonly WorkItem[]): Promise<void> {
  await using queue = queueOf(place);
  await queue.add(items);
}

/** Parked items of every function. */
export async function parkedItems(place: RedisPlace): Promise<readonly ParkedItem[]> {
  await using queue = queueOf(place);
  const names = functions.map(({ subscription }) => subscription.name);
  return (await Promise.all(names.map((name) => queue.parked(name)))).flat();
}

function queueOf(place: RedisPlace): WorkQueue & AsyncDisposable {
  const queue = createBullmqQueue({ ...place, ...patient });
  return Object.assign(queue, { [Symbol.asyncDispose]: () => queue.close() });
}
