/**
 * Events as they came out: each on its object, each once, told apart. Counted by what the committed
 * changes of the object call for, so that it does not matter how they are named.
 */
import type { KubeObject, ObjectMeta } from '#shared/domain/objects.ts';

/** One that a change of the record calls for. */
export interface ToldEvent {
  readonly reason: string;
  readonly type: 'Normal' | 'Warning';
  /** Names what it tells of, and so tells any two apart. */
  readonly of: string;
  /** What its words have to contain. */
  readonly mentions: readonly string[];
}

interface Regarding {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

interface StoredEvent {
  readonly reportingComponent?: string;
  readonly reason: string;
  readonly type: string;
  readonly involvedObject: Regarding;
}

type Stored = Pick<KubeObject, 'apiVersion' | 'metadata'>;

export class ToldEvents {
  /** By uid of the object and reason: what decisions told, whether or not it came to be on record. */
  readonly #announced = new Map<string, Set<string>>();
  /** What came to be on record. */
  readonly #recorded = new Map<string, Set<string>>();
  readonly #stored = new Map<string, number>();
  readonly #reporter: string;
  readonly #lost = new Map<string, number>();

  announced(uid: string, events: readonly ToldEvent[]): void {
    for (const { reason, of } of events) add(this.#announced, keyOf(uid, reason), of);
  }

  recorded(uid: string, events: readonly ToldEvent[]): void {
    for (const { reason, of } of events) add(this.#recorded, keyOf(uid, reason), of);
  }

  /**
   * An Event never fails the work that it tells of: what the API server did not take is not told. Whether it
   * was about one of the objects that `isOurs` knows by its name.
   */
  lost(eventName: string, isOurs: (name: string) => boolean): boolean {
    const name = eventName.slice(0, eventName.lastIndexOf('.'));
    if (!isOurs(name)) return false;
    this.#lost.set(name, (this.#lost.get(name) ?? 0) + 1);
    return true;
  }

  /** `reporter`: the function whose Events these are; those of others are not judged here. */
  constructor(reporter: string) {
    this.#reporter = `millrace.dev/${reporter}`;
  }

  stored(
    event: KubeObject,
    kind: string,
    objectOf: (uid: string) => Stored | undefined,
  ): readonly string[] {
    const stored = event as unknown as StoredEvent;
    const { reason, type, involvedObject, reportingComponent } = stored;
    if (involvedObject.kind !== kind || reportingComponent !== this.#reporter) return [];
    const { apiVersion, metadata } = objectOf(involvedObject.uid ?? '') ?? {};
    const isRight =
      involvedObject.name === metadata?.name &&
      involvedObject.apiVersion === apiVersion &&
      ['Normal', 'Warning'].includes(type);
    const key = keyOf(involvedObject.uid ?? '', reason);
    this.#stored.set(key, (this.#stored.get(key) ?? 0) + 1);
    return isRight
      ? []
      : [`model, Events: ${reason} is on no ${kind}: ${JSON.stringify(involvedObject)}`];
  }

  /** To be asked at rest. */
  faultsOf(metadata: Pick<ObjectMeta, 'uid' | 'name'>): readonly string[] {
    const keys = new Set([...this.#announced.keys(), ...this.#stored.keys()]);
    let missing = 0;
    const faults = [...keys].flatMap((key) => {
      if (!key.startsWith(`${metadata.uid}/`)) return [];
      const came = this.#stored.get(key) ?? 0;
      const least = this.#recorded.get(key) ?? new Set();
      const most = this.#announced.get(key)?.size ?? 0;
      missing += Math.max(0, least.size - came);
      const words = key.slice(key.indexOf('/') + 1);
      return came <= most ? [] : [`${words}: expected ${most} at most, came ${came}`];
    });
    const excused = this.#lost.get(metadata.name) ?? 0;
    const lack =
      missing > excused
        ? [`${missing} of ${metadata.name} never came, ${excused} were refused`]
        : [];
    return [...faults, ...lack].map((fault) => `model, Events: ${fault}`);
  }
}

function keyOf(uid: string, reason: string): string {
  return `${uid}/${reason}`;
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  const known = map.get(key) ?? new Set();
  map.set(key, known.add(value));
}
