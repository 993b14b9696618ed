/**
 * Whether what was read of an object is its current state.
 *
 * A name is a lock only while an object has it (law 2). What another replica started, recorded and
 * removed since would start once more on the word of a view that is behind, what it still waits for
 * would be taken away, and what is stopped after the end would stand still for ever: so nothing is
 * created, removed or stopped before the API server has said that the object decided about is still
 * the one that was read. What carries its version needs no question,
 * and what a later pass sets right needs none either.
 */
import type { MonotonicClock } from '#shared/domain/clock.ts';
import type { ObjectKey, ObjectName, Resource } from '#shared/domain/objects.ts';
import type { Operation, Plan } from '#shared/domain/plan.ts';
import type { Reader } from '#shared/kube/reader.ts';

/**
 * An answer of the API server counts as the current state for so long from its request on, in monotonic
 * milliseconds: longer than the reads of a decision usually take, so that it costs no second request.
 */
export const currentForMs = 1_000;

/**
 * A reader that notes which version of one object it gave. A class, since an object literal with a
 * getter keeps what the getter sees, here all that a pass reads, until the next full collection.
 */
export class NotingReader implements Reader {
  readonly #reader: Reader;
  readonly #kind: Resource;
  readonly #name: ObjectName;
  readonly #clock: MonotonicClock;
  #version: string | undefined;
  #askedAtMs = -Infinity;

  constructor(reader: Reader, kind: Resource, name: ObjectName, clock: MonotonicClock) {
    this.#clock = clock;
    this.#reader = reader;
    this.#kind = kind;
    this.#name = name;
  }

  /** Of the object as it was read last; undefined: there was none. */
  get version(): string | undefined {
    return this.#version;
  }

  /** When the object was asked for last, monotonic milliseconds. */
  get askedAtMs(): number {
    return this.#askedAtMs;
  }

  async get(...asked: Parameters<Reader['get']>): ReturnType<Reader['get']> {
    const askedAtMs = this.#clock.monotonicMs();
    const object = await this.#reader.get(...asked);
    const [kind, { namespace, name }] = asked;
    const isThatOne = namespace === this.#name.namespace && name === this.#name.name;
    if (kind === this.#kind && isThatOne) {
      this.#version = object?.metadata.resourceVersion;
      this.#askedAtMs = askedAtMs;
    }
    return object;
  }

  list(...asked: Parameters<Reader['list']>): ReturnType<Reader['list']> {
    return this.#reader.list(...asked);
  }

  listByOwner(...asked: Parameters<Reader['listByOwner']>): ReturnType<Reader['listByOwner']> {
    return this.#reader.listByOwner(...asked);
  }

  listByOwners(...asked: Parameters<Reader['listByOwners']>): ReturnType<Reader['listByOwners']> {
    return this.#reader.listByOwners(...asked);
  }
}

/** Whether no version fences something in the plan that stays: what is created, removed or stopped. */
export function cannotBeUndone(plan: Plan): boolean {
  return plan.some((stage) => stage.some(isFinal));
}

function isFinal(operation: Operation): boolean {
  switch (operation.kind) {
    case 'create':
      return true;
    case 'delete':
      return operation.resourceVersion === undefined;
    case 'patch':
      return operation.isFinal === true;
    case 'patchStatus':
    case 'emitEvent':
      return false;
  }
}

/** Throws what the reader throws. */
export async function isCurrent(
  version: string | undefined,
  fresh: Reader,
  kind: Resource,
  key: ObjectKey,
): Promise<boolean> {
  const object = await fresh.get(kind, key);
  return object?.metadata.uid === key.uid && object.metadata.resourceVersion === version;
}
