import { setTimeout as sleep } from 'node:timers/promises';
import { subscriptions } from '#functions/list.ts';
import type { Clock } from '#shared/domain/clock.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import {
  type Journal,
  type JournalEntry,
  type JournalRecord,
  journalFormat,
} from '#shared/journal/journal.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import { directItems } from '#shared/subscription/route.ts';
import type { EventDesk, RecordedEvent, Redelivery } from './event-desk.ts';

export interface LocalDeskOptions {
  readonly journal: Journal;
  readonly queue: WorkQueue;
  readonly clock: Clock;
}

const pageSize = 1_000;
/** After this time a delivery counts as not handled, milliseconds. */
const handledWithinMs = 3_000;

/** The desk of a Millrace in this process. It uses the journal and queue of its bridge. */
export function localDesk({ journal, queue, clock }: LocalDeskOptions): EventDesk {
  return {
    recordsOf: async (flow) => {
      const records = (await readAll(journal)).map(({ record }) => record);
      const ofFlow = ({ event }: RecordedEvent): boolean =>
        event.uid === flow || event.owner?.uid === flow;
      return {
        events: records.flatMap(eventOf).filter(ofFlow),
        decisions: records.filter((record) => isWriteFor(record, ({ key }) => key.uid === flow))
          .length,
      };
    },
    redeliver: async (eventId) => {
      const before = await readAll(journal);
      const known = before.flatMap(({ record }) => eventOf(record));
      const event = known.find((recorded) => recorded.event.id === eventId)?.event;
      if (event === undefined) return undefined;
      const atMs = clock.now();
      await journal.append([{ kind: 'event', format: journalFormat, event, atMs }]);
      const items = directItems(subscriptions, event);
      await queue.add(items);
      const isHandled = await allHandled(queue, items);
      const added = await readAll(journal, before.at(-1)?.position);
      return outcomeOf(event.id, isHandled, added);
    },
  };
}

function outcomeOf(id: string, isHandled: boolean, added: readonly JournalEntry[]): Redelivery {
  const records = added.map(({ record }) => record);
  return {
    isHandled,
    isRecordedAgain: records.flatMap(eventOf).some(({ event }) => event.id === id),
    effects: records.filter((record) => isWriteFor(record, ({ cause }) => cause === id)).length,
  };
}

/** When nothing waits and nothing runs, all items have been handled. */
async function allHandled(queue: WorkQueue, items: readonly WorkItem[]): Promise<boolean> {
  const deadline = performance.now() + handledWithinMs;
  for (const name of new Set(items.map((item) => item.function))) {
    for (;;) {
      const { waiting, running } = await queue.depth(name);
      if (waiting + running === 0) break;
      if (performance.now() > deadline) return false;
      await sleep(10);
    }
  }
  return true;
}

async function readAll(journal: Journal, after?: string): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (let position = after; ;) {
    const page = await journal.read(position, pageSize);
    entries.push(...page);
    if (page.length < pageSize) return entries;
    position = page.at(-1)?.position;
  }
}

function eventOf(record: JournalRecord): readonly RecordedEvent[] {
  return record.kind === 'event' ? [{ event: record.event, atMs: record.atMs }] : [];
}

type DecisionRecord = Extract<JournalRecord, { kind: 'decision' }>;

function isWriteFor(record: JournalRecord, concerns: (record: DecisionRecord) => boolean): boolean {
  return (
    record.kind === 'decision' && concerns(record) && record.plan.some((stage) => stage.length > 0)
  );
}
