/** What a running Millrace keeps in Redis, read and written from beside it. */
import type { WorkItem } from '#shared/domain/work-item.ts';
import { readDecisions, type RestoredDecision } from '#shared/journal/decision-reader.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { silentLog } from '#shared/redis/log.ts';

/** Where the Millrace of one cluster keeps it. */
export interface RedisPlace {
  readonly url: string;
  readonly prefix: string;
}

/** Oldest first. Throws when one is cut off: nothing of a test's journal is dropped. */
export async function recordedDecisions(place: RedisPlace): Promise<readonly RestoredDecision[]> {
  const journal = createRedisJournal({ ...place, log: silentLog });
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
  const queue = createBullmqQueue({ ...place, log: silentLog });
  try {
    await queue.add(items);
  } finally {
    await queue.close();
  }
}
