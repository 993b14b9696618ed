import { textHash } from '#shared/domain/hash.ts';
import type { EventId, KubeObject, Uid } from '#shared/domain/objects.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import { concerns, type Watched, type Watcher } from './watch-set.ts';

/** Of one state of an object, for each watcher of its resource; undefined: as if it were not there. */
type Fingerprints = readonly (string | undefined)[];

interface Publication {
  readonly fingerprints: Fingerprints;
  readonly cause: EventId;
}

/** A change that has to be published, whom it wakes, and what to remember once it has been. */
export interface News {
  readonly change: Change;
  readonly wakes: readonly Watcher[];
  /** Undefined: nothing has to be remembered of it any more. */
  readonly fingerprints: Fingerprints | undefined;
}

/**
 * What was published of each object last. It moves on only after journal and queue have taken a
 * change, so an outage never makes a change look old.
 *
 * It holds for as long as this bridge hears of everything that is published: while another one leads,
 * and when the history of the cluster is another one, nothing of it may be relied on.
 */
export class Published {
  readonly #byUid = new Map<Uid, Publication>();

  /**
   * The changes that are news to somebody, in order: the coming and going of an object, and updates
   * that alter the fingerprint that a watcher takes of it, also against an earlier change of the same
   * list.
   */
  newsAmong(watched: Watched, changes: readonly Change[]): readonly News[] {
    const latest = new Map<Uid, Fingerprints | undefined>();
    return changes.flatMap((change): readonly News[] => {
      const { uid } = change.object.metadata;
      const known = latest.has(uid) ? latest.get(uid) : this.#byUid.get(uid)?.fingerprints;
      if (change.type !== 'changed') {
        latest.set(uid, undefined);
        // Of what was never told, the last state says whom it would have concerned.
        const was = known ?? fingerprintsOf(watched, change.object);
        return newsTo(
          watched.watchers.filter((_, index) => was[index] !== undefined),
          { change, fingerprints: undefined },
        );
      }
      const is = fingerprintsOf(watched, change.object);
      latest.set(uid, is);
      const fingerprints = is.every((fingerprint) => fingerprint === undefined) ? undefined : is;
      return newsTo(
        watched.watchers.filter((_, index) => is[index] !== known?.[index]),
        { change, fingerprints },
      );
    });
  }

  remember({ change, fingerprints }: News, event: EventReference): void {
    const { uid } = change.object.metadata;
    if (fingerprints === undefined) this.#byUid.delete(uid);
    else this.#byUid.set(uid, { fingerprints, cause: event.id });
  }

  /** From now on every object is seen for the first time. */
  forgetEverything(): void {
    this.#byUid.clear();
  }

  /** Objects that are remembered. */
  get size(): number {
    return this.#byUid.size;
  }

  /** The event that the journal has of this object; undefined when nothing was published yet. */
  causeOf(object: KubeObject): EventId | undefined {
    return this.#byUid.get(object.metadata.uid)?.cause;
  }
}

function newsTo(wakes: readonly Watcher[], news: Omit<News, 'wakes'>): readonly News[] {
  return wakes.length === 0 ? [] : [{ ...news, wakes }];
}

function fingerprintsOf({ watchers }: Watched, object: KubeObject): Fingerprints {
  return watchers.map(({ watch }) => {
    const fingerprint = concerns(watch, object) ? watch.fingerprint(object) : undefined;
    return fingerprint === undefined ? undefined : textHash(JSON.stringify(fingerprint));
  });
}
