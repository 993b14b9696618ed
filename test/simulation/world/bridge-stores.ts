/** Journal and queue of one bridge, observed from the outside. */
import type { Journal, JournalRecord } from '#shared/journal/journal.ts';
import type { ViewStore } from '#shared/views/view-store.ts';
import type { WorkQueue } from '#shared/queue/work-queue.ts';
import type { Candidacy } from '../invariants/candidacy.ts';
import type { Republication } from '../invariants/republication.ts';
import { observed } from './observed-call.ts';

export interface BridgeStoresOptions {
  readonly journal: Journal;
  readonly queue: WorkQueue;
  /** Absent: there is no election. */
  readonly candidacy: Candidacy | undefined;
  readonly republication: Republication;
}

export function bridgeStores(
  options: BridgeStoresOptions,
): Pick<BridgeStoresOptions, 'journal' | 'queue'> {
  const { journal, queue, candidacy, republication } = options;
  const answered = <Answer>(call: Promise<Answer>, then: (answer: Answer) => void) =>
    observed(call, then, () => republication.failed());
  return {
    journal: {
      ...journal,
      append: (records) => {
        candidacy?.publishes();
        return answered(journal.append(records), () => republication.records(records.map(uidOf)));
      },
      epoch: () => {
        republication.looksAtEpoch();
        return answered(journal.epoch(), (epoch) => republication.readsEpoch(epoch));
      },
    },
    queue: {
      ...queue,
      add: (items) => {
        candidacy?.publishes();
        return answered(queue.add(items), () =>
          republication.enqueues(items.map(({ key }) => key.uid)),
        );
      },
    },
  };
}

/** Observes the views too: what cannot be written there must be published again. */
export function bridgeViews(store: ViewStore, republication: Republication): ViewStore {
  const watched = <Answer>(call: Promise<Answer>) =>
    observed(
      call,
      () => undefined,
      () => republication.failed(),
    );
  return {
    ...store,
    hold: (...asked) => watched(store.hold(...asked)),
    release: (...asked) => watched(store.release(...asked)),
    write: (...asked) => watched(store.write(...asked)),
  };
}

function uidOf(record: JournalRecord): string {
  return record.kind === 'event' ? record.event.uid : '';
}
