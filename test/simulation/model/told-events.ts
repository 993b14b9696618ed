/**
 * Events as they came out: each on its flow, each once, told apart. Counted by what the committed
 * changes of the flow call for, so that it does not matter how they are named.
 */
import type { JobFlow } from '#shared/api/job-flow.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import { eventsOf, type ToldEvent } from './events.ts';
import { onRecord } from './told-status.ts';

interface Regarding {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

interface StoredEvent {
  readonly reason: string;
  readonly type: string;
  readonly involvedObject: Regarding;
}

export class ToldEvents {
  /** By uid of the flow and reason: what decisions told, whether or not it came to be on record. */
  readonly #announced = new Map<string, Set<string>>();
  /** What came to be on record. */
  readonly #recorded = new Map<string, Set<string>>();
  readonly #stored = new Map<string, number>();
  readonly #lost = new Map<string, number>();

  announced(flow: JobFlow, events: readonly ToldEvent[]): void {
    for (const { reason, of } of events) add(this.#announced, keyOf(flow.metadata.uid, reason), of);
  }

  recorded(before: JobFlow, after: JobFlow): void {
    for (const { reason, of } of eventsOf(before, onRecord(after))) {
      add(this.#recorded, keyOf(after.metadata.uid, reason), of);
    }
  }

  /** An Event never fails the work that it tells of: what the API server did not take is not told. */
  lost(eventName: string): void {
    const flow = eventName.slice(0, eventName.lastIndexOf('.'));
    this.#lost.set(flow, (this.#lost.get(flow) ?? 0) + 1);
  }

  stored(event: KubeObject, flowOf: (uid: string) => JobFlow | undefined): readonly string[] {
    const { reason, type, involvedObject } = event as unknown as StoredEvent;
    const flow = flowOf(involvedObject.uid ?? '');
    const { apiVersion, kind, metadata } = flow ?? {};
    const isRight =
      involvedObject.name === metadata?.name &&
      involvedObject.kind === kind &&
      involvedObject.apiVersion === apiVersion &&
      ['Normal', 'Warning'].includes(type);
    const key = keyOf(involvedObject.uid ?? '', reason);
    this.#stored.set(key, (this.#stored.get(key) ?? 0) + 1);
    return isRight
      ? []
      : [`model, Events: ${reason} is on no flow: ${JSON.stringify(involvedObject)}`];
  }

  /** To be asked at rest. */
  faultsOf({ metadata }: JobFlow): readonly string[] {
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
