/**
 * Events as written: each on its object, each once, and distinguishable. They are counted by what the
 * object's commits require, independent of their names.
 */
import type { KubeObject, ObjectMeta } from '#shared/domain/objects.ts';
import { cannotGoOn } from '#shared/runtime/function/failing-objects.ts';

/** An Event that a change of the record requires. */
export interface PredictedEvent {
  readonly reason: string;
  readonly type: 'Normal' | 'Warning';
  /** Names its occurrence, so that any two are distinguishable. */
  readonly of: string;
  /** Its note must contain these. */
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

export class PredictedEvents {
  /** Events of decisions, recorded or not, by uid of the object and reason. */
  readonly #announced = new Map<string, Set<string>>();
  /** Recorded Events. */
  readonly #recorded = new Map<string, Set<string>>();
  readonly #stored = new Map<string, number>();
  readonly #reporter: string;
  readonly #lost = new Map<string, number>();

  announced(uid: string, events: readonly PredictedEvent[]): void {
    for (const { reason, of } of events) add(this.#announced, keyOf(uid, reason), of);
  }

  recorded(uid: string, events: readonly PredictedEvent[]): void {
    for (const { reason, of } of events) add(this.#recorded, keyOf(uid, reason), of);
  }

  /**
   * An Event never fails the work that it reports: a refused one is left out. Returns whether it was about
   * an object whose name `isOurs` knows.
   */
  lost(eventName: string, isOurs: (name: string) => boolean): boolean {
    const name = eventName.slice(0, eventName.lastIndexOf('.'));
    if (!isOurs(name)) return false;
    this.#lost.set(name, (this.#lost.get(name) ?? 0) + 1);
    return true;
  }

  /** `reporter`: the function whose Events are judged; others are not. */
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
    // No decision foresees the injected faults that it reports (pass-9 of process-item.ts).
    if (reason !== cannotGoOn) this.#stored.set(key, (this.#stored.get(key) ?? 0) + 1);
    return isRight
      ? []
      : [`model, Events: ${reason} is on no ${kind}: ${JSON.stringify(involvedObject)}`];
  }

  /** Call it at rest. */
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
