import type { EventId, KubeObject, Uid } from '#shared/domain/objects.ts';
import type { EventReference } from '#shared/events/event.ts';
import type { Change } from '#shared/kube/reflector-options.ts';
import { fingerprintOf, isOrdinary } from './relevance.ts';
import type { WatchedKind } from './watch-set.ts';

interface Publication {
  readonly fingerprint: string;
  readonly cause: EventId;
}

/** A change that has to be published, and what to remember once it has been. */
export interface News {
  readonly change: Change;
  /** Undefined: nothing has to be remembered of it any more. */
  readonly fingerprint: string | undefined;
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
   * The changes that are news, in order: every deletion, the first sight of an object, and updates
   * that alter its fingerprint, also against an earlier change of the same list. Neither of what is
   * ordinary before and after.
   */
  newsAmong(kind: WatchedKind, changes: readonly Change[]): readonly News[] {
    const latest = new Map<Uid, string | undefined>();
    return changes.flatMap((change): readonly News[] => {
      const { uid } = change.object.metadata;
      const known = latest.has(uid) ? latest.get(uid) : this.#byUid.get(uid)?.fingerprint;
      if (change.type !== 'changed') {
        if (isOrdinary(kind, known)) return [];
        latest.set(uid, undefined);
        return [{ change, fingerprint: undefined }];
      }
      const fingerprint = fingerprintOf(kind, change.object);
      if (fingerprint === known) return [];
      latest.set(uid, fingerprint);
      const isPassed = isOrdinary(kind, fingerprint);
      if (isPassed && isOrdinary(kind, known)) return [];
      return [{ change, fingerprint: isPassed ? undefined : fingerprint }];
    });
  }

  remember({ change, fingerprint }: News, event: EventReference): void {
    const { uid } = change.object.metadata;
    if (fingerprint === undefined) this.#byUid.delete(uid);
    else this.#byUid.set(uid, { fingerprint, cause: event.id });
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
