import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asResourceVersion, type Uid } from '#shared/domain/objects.ts';
import { ObjectView, type ViewEvent } from './object-view.ts';
import { histories, versionsOf, type History } from './testing/random-history.ts';

/**
 * One history arrives in three ways: the watch in order, a list from time to time, and for own writes
 * the answer. An answer comes before the watch event or long after it.
 */
const ways = fc.record({
  own: fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }),
  turns: fc.array(
    fc.record({
      way: fc.constantFrom('watch' as const, 'watch' as const, 'answer' as const, 'list' as const),
      ahead: fc.integer({ min: 0, max: 4 }),
    }),
    { maxLength: 80 },
  ),
});

it('reaches the state of the server, whichever way the changes arrive (view-1 to view-4)', () => {
  fc.assert(
    fc.property(histories, ways, (history, { own, turns }) => {
      const feed = new Feed(history, own);
      for (const { way, ahead } of turns) feed.turn(way, ahead);
      feed.finish();
      const now = history.at(history.events.length);
      expect(versionsOf(feed.view.values())).toEqual(versionsOf(now));
      for (const { metadata } of now) {
        const owner = metadata.ownerReferences?.[0]?.uid;
        if (owner === undefined) throw new Error('without an owner');
        const children = now.filter((each) => each.metadata.ownerReferences?.[0]?.uid === owner);
        expect(versionsOf(feed.view.listByOwner(owner))).toEqual(versionsOf(children));
      }
    }),
  );
});

it('never shows less of an object than an own write that was answered (view-1, view-4)', () => {
  fc.assert(
    fc.property(histories, ways, (history, { own, turns }) => {
      const feed = new Feed(history, own);
      for (const { way, ahead } of turns) {
        feed.turn(way, ahead);
        for (const { metadata } of feed.view.values()) {
          const answered = feed.answered.get(metadata.uid) ?? 0;
          expect(Number(metadata.resourceVersion)).toBeGreaterThanOrEqual(answered);
        }
      }
    }),
  );
});

class Feed {
  readonly view = new ObjectView();
  /** The newest answered own write of each object. */
  readonly answered = new Map<Uid, number>();
  readonly #history: History;
  readonly #owned: ViewEvent[];
  #watched = 0;

  constructor(history: History, own: readonly boolean[]) {
    this.#history = history;
    this.#owned = history.events.filter((_, index) => own[index] === true);
    this.view.replace([], asResourceVersion('0'));
  }

  turn(way: 'watch' | 'answer' | 'list', ahead: number): void {
    if (way === 'watch') this.#watch();
    else if (way === 'answer') this.#answer(ahead);
    else this.#list(ahead);
  }

  finish(): void {
    while (this.#owned.length > 0) this.#answer(0);
    while (this.#watched < this.#history.events.length) this.#watch();
  }

  #watch(): void {
    const event = this.#history.events[this.#watched];
    if (event === undefined) return;
    this.#watched += 1;
    this.view.apply(event);
  }

  /** Answers come roughly in the order of the writes. */
  #answer(ahead: number): void {
    const [event] = this.#owned.splice(Math.min(ahead, this.#owned.length - 1), 1);
    if (event === undefined) return;
    const { namespace = '', name, uid, resourceVersion } = event.object.metadata;
    const holds = this.view.get(namespace, name)?.metadata.uid === uid;
    if (event.type === 'DELETED') this.view.forget(namespace, name, uid);
    else this.view.write(event.object);
    // Deleting an object that it does not hold must leave no trace.
    if (event.type === 'DELETED' && !holds) return;
    this.answered.set(uid, Math.max(this.answered.get(uid) ?? 0, Number(resourceVersion)));
  }

  /** Lists the state at the watch's version or a little later; the watch continues from there. */
  #list(ahead: number): void {
    this.#watched = Math.min(this.#watched + ahead, this.#history.events.length);
    this.view.replace(this.#history.at(this.#watched), asResourceVersion(String(this.#watched)));
  }
}
