import { textHash } from '#shared/domain/hash.ts';
import type { EventId, KubeObject, Uid } from '#shared/domain/objects.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import { concerns, type Watched, type Watcher } from './watch-set.ts';

/** Fingerprints of one state of an object, one per watcher. Undefined: the watcher ignores the object. */
type Fingerprints = readonly (string | undefined)[];

interface Publication {
  readonly fingerprints: Fingerprints;
  readonly cause: EventId;
}

/** A change to publish, the watchers that it wakes, and what to remember afterwards. */
export interface News {
  readonly change: Change;
  readonly wakes: readonly Watcher[];
  /** Undefined: nothing is remembered of the object any more. */
  readonly fingerprints: Fingerprints | undefined;
}

/**
 * Remembers the last publication of each object. It is updated only after journal and queue have
 * accepted a change, so an outage never makes a change look old.
 *
 * It is valid only while this bridge publishes everything itself. It is void once another bridge
 * leads, or once the cluster's history has changed.
 */
export class Published {
  readonly #byUid = new Map<Uid, Publication>();

  /**
   * The changes that wake at least one watcher, in order: an object appears or is removed, or an update
   * changes a watcher's fingerprint. Earlier changes of the same list count as known.
   */
  newsAmong(watched: Watched, changes: readonly Change[]): readonly News[] {
    const latest = new Map<Uid, Fingerprints | undefined>();
    return changes.flatMap((change): readonly News[] => {
      const { uid } = change.object.metadata;
      const known = latest.has(uid) ? latest.get(uid) : this.#byUid.get(uid)?.fingerprints;
      if (change.type !== 'changed') {
        latest.set(uid, undefined);
        // Never published before: use its last state to find the functions to wake.
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

  /** From now on every object counts as new. */
  forgetEverything(): void {
    this.#byUid.clear();
  }

  /** Number of remembered objects. */
  get size(): number {
    return this.#byUid.size;
  }

  /** The event that the journal has of this object. Undefined: none was published yet. */
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
