/**
 * Sends appends to the store one after another. Records that arrive during a call go together in the next one, so that
 * a burst of small appends costs as few calls as a large one.
 *
 * append-1 Records are stored in the order in which they were appended.
 * append-2 A failed call fails only the appends in it, not the waiting ones.
 */
export interface AppendLineOptions<Record> {
  /** Stores them and returns the result of each. */
  readonly store: (records: readonly Record[]) => Promise<readonly Stored[]>;
  /** Most records in one call. */
  readonly mostAtOnce: number;
}

export interface Stored {
  /** Empty: the record was there already. */
  readonly position: string;
  /** Position of the store's oldest entry. Empty: it has none. */
  readonly oldest: string;
  readonly bytes: number;
}

interface Waiting<Record> {
  readonly record: Record;
  readonly stored: (stored: Stored) => void;
  readonly failed: (error: unknown) => void;
}

export class AppendLine<Record> {
  readonly #options: AppendLineOptions<Record>;
  #waiting: Waiting<Record>[] = [];
  #isBusy = false;

  constructor(options: AppendLineOptions<Record>) {
    this.#options = options;
  }

  append(records: readonly Record[]): Promise<readonly Stored[]> {
    const all = records.map(
      (record) =>
        new Promise<Stored>((stored, failed) => {
          this.#waiting.push({ record, stored, failed });
        }),
    );
    void this.#work();
    return Promise.all(all);
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    const { store, mostAtOnce } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, mostAtOnce);
      try {
        const stored = await store(batch.map(({ record }) => record));
        for (const [index, each] of stored.entries()) batch[index]?.stored(each);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#isBusy = false;
  }
}
