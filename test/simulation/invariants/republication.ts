/**
 * A new leader, and one that finds that the stores have lost their data, publishes everything unfinished
 * again, and again after a failure: what another bridge published, and what was lost, it cannot know.
 *
 * RP1 Between two of its looks at the epoch without a failure in between, all that it knew to be
 *     unfinished at the first of them was recorded and enqueued.
 */
import type { KubeObject } from '#shared/domain/objects.ts';

export interface RepublicationOptions {
  readonly name: string;
  readonly leads: () => boolean;
  /** What the bridge knows. */
  readonly flows: () => Iterable<KubeObject>;
  readonly blame: (fault: string) => void;
}

export class Republication {
  readonly #options: RepublicationOptions;
  #isOwed = false;
  /** What the first look found unfinished. */
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
    blame(`RP1: ${name} did not publish anew what is unfinished: ${missing.join(', ')}`);
  }

  /** What it was told. */
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

  /** A store did not answer: it may have to begin anew. */
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
