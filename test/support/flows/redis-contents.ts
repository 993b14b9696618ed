/** What a running Millrace keeps in Redis, read and written from beside it. */
import type { WorkItem } from '#shared/domain/work-item.ts';
import type { DecisionRecord, Journal, JournalEntry } from '#shared/journal/journal.ts';
import { createRedisJournal } from '#shared/journal/redis-journal.ts';
import { createBullmqQueue } from '#shared/queue/bullmq-queue.ts';
import { silentLog } from '#shared/redis/log.ts';
import { restoreContents } from '#shared/runtime/journal-snapshot.ts';

const pageSize = 500;

/** Oldest first, with the specs that are stored apart put back in. */
export async function recordedDecisions(redisUrl: string): Promise<readonly DecisionRecord[]> {
  const journal = createRedisJournal({ url: redisUrl, log: silentLog });
  try {
    const decisions: DecisionRecord[] = [];
    for await (const { record } of entriesOf(journal)) {
      if (record.kind !== 'decision') continue;
      const [snapshot, plan] = await Promise.all([
        restoreContents(record.snapshot, journal),
        restoreContents(record.plan, journal),
      ]);
      decisions.push({ ...record, snapshot, plan });
    }
    return decisions;
  } finally {
    await journal.close();
  }
}

export async function enqueue(redisUrl: string, items: readonly WorkItem[]): Promise<void> {
  const queue = createBullmqQueue({ url: redisUrl, log: silentLog });
  try {
    await queue.add(items);
  } finally {
    await queue.close();
  }
}

async function* entriesOf(journal: Journal): AsyncGenerator<JournalEntry> {
  for (let after: string | undefined; ;) {
    const entries = await journal.read(after, pageSize);
    yield* entries;
    after = entries.at(-1)?.position;
    if (after === undefined) return;
  }
}
