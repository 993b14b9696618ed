/** In-memory journal and queue with simulated outages. They record what they accept. */
import { Registry } from 'prom-client';
import { MillraceError } from '#shared/domain/errors.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { createMemoryJournal } from '#shared/journal/memory-journal.ts';
import { createMemoryQueue } from '#shared/queue/memory-queue.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { createBridgeMetrics } from '../metrics.ts';
import type { Outlet } from '../outlet.ts';
import { Publisher, type PublisherOptions } from '../publish.ts';
import { subscriptions } from '#functions/list.ts';
import { BridgeViews } from '../views.ts';
import { watchSetOf, type Watched } from '../watch-set.ts';

export function stores() {
  const journal = createMemoryJournal({ clock: systemClock });
  const queue = createMemoryQueue({ clock: systemClock });
  const outage = { journal: false, queue: false, answered: Promise.resolve() };
  const added: WorkItem[] = [];
  const failWhen = (down: boolean): void => {
    if (down) throw new MillraceError('MR_QUEUE_UNAVAILABLE', { address: 'x', detail: 'outage' });
  };
  return {
    /** The journal accepts nothing before `answered`. */
    outage,
    /** Every item that was added, in order. */
    added,
    journal: {
      ...journal,
      append: async (...args: Parameters<typeof journal.append>) => {
        failWhen(outage.journal);
        await outage.answered;
        return journal.append(...args);
      },
      epoch: async () => {
        failWhen(outage.journal);
        return journal.epoch();
      },
    },
    queue: {
      ...queue,
      add: async (items: readonly WorkItem[]) => {
        failWhen(outage.queue);
        added.push(...items);
        await queue.add(items);
      },
    },
    /** Ids in the journal, oldest first. */
    recorded: async (): Promise<readonly string[]> =>
      (await journal.read(undefined, 10_000)).flatMap(({ record }) =>
        record.kind === 'event' ? [record.event.id] : [],
      ),
  };
}

const watchSet = watchSetOf(subscriptions);

/** The entry of the watch set for this kind. */
export function watched(kind: string): Watched {
  const found = watchSet.find(({ resource }) => resource.kind === kind);
  if (found === undefined) throw new Error(`no function watches ${kind}`);
  return found;
}

export function publisherOver(
  { journal, queue }: Pick<ReturnType<typeof stores>, 'journal'> & { readonly queue: Outlet },
  views = new BridgeViews(watchSet),
  storedViews?: PublisherOptions['storedViews'],
) {
  const metrics = createBridgeMetrics(new Registry());
  const publisher = new Publisher({
    journal,
    queue,
    clusterUid: 'cluster-1',
    views,
    clock: systemClock,
    metrics,
    leading: () => true,
    ...(storedViews === undefined ? {} : { storedViews }),
  });
  return { publisher, views, metrics };
}
