/**
 * A new leader publishes everything unfinished again. So does one that finds that the stores lost their
 * data, and again after a failure. It cannot know what another bridge published or what was lost.
 *
 * republication-1 Between two looks at the epoch without a failure in between, everything that was unfinished at the
 *    first one was recorded and enqueued.
 */
import type { KubeObject } from '#shared/domain/objects.ts';

export interface RepublicationOptions {
  readonly name: string;
  readonly leads: () => boolean;
  /** The flows that the bridge knows. */
  readonly flows: () => Iterable<KubeObject>;
  readonly blame: (fault: string) => void;
}

export class Republication {
  readonly #options: RepublicationOptions;
  #isOwed = false;
  /** The unfinished objects at the first look. */
  #wanted: ReadonlySet<string> | undefined;
  #epoch: string | undefined;
  readonly #recorded = new Set<string>();
  readonly #enqueued = new Set<string>();

  constructor(options: RepublicationOptions) {
    this.#options = options;
  }

  /** The bridge leads from now on. */
  leads(): void {
    this.#isOwed = true;
    this.#begin();
  }

  looksAtEpoch(): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    if (wanted === undefined || !this.#options.leads()) return;
    const missing = [...wanted].filter(
      (uid) => !this.#recorded.has(uid) || !this.#enqueued.has(uid),
    );
    if (missing.length === 0) {
      this.#isOwed = false;
      return;
    }
    const { blame, name } = this.#options;
    blame(
      `republication-1: ${name} did not publish anew what is unfinished: ${missing.join(', ')}`,
    );
  }

  /** The epoch that it read. */
  readsEpoch(epoch: string): void {
    const isLost = this.#epoch !== undefined && epoch !== this.#epoch;
    this.#epoch = epoch;
    if (isLost) {
      this.#isOwed = true;
      this.#begin();
    }
    if (!this.#isOwed || !this.#options.leads()) return;
    const unfinished = [...this.#options.flows()].filter((flow) => !isFinished(flow));
    this.#wanted = new Set(unfinished.map(({ metadata }) => metadata.uid));
  }

  records(uids: readonly string[]): void {
    for (const uid of uids) this.#recorded.add(uid);
  }

  enqueues(uids: readonly string[]): void {
    for (const uid of uids) this.#enqueued.add(uid);
  }

  /** A store did not answer, so it may have to start again. */
  failed(): void {
    this.#wanted = undefined;
  }

  #begin(): void {
    this.#wanted = undefined;
    this.#recorded.clear();
    this.#enqueued.clear();
  }
}

function isFinished({ status }: KubeObject): boolean {
  const { completionTime } = (status ?? {}) as { readonly completionTime?: string };
  return completionTime !== undefined;
}
