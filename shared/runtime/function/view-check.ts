/**
 * Whether what was read of an object is its current state.
 *
 * A name is a lock only while an object has it (law 2). What another replica started, recorded and
 * removed since would start once more on the word of a view that is behind, what it still waits for
 * would be taken away, and what is stopped after the end would stand still for ever: so nothing is
 * created, removed or stopped before the API server has said that the object decided about is still
 * the one that was read. What carries its version needs no question, and what a later pass sets right
 * needs none either. Nor does a view that is known to be a moment behind at most: it holds an own write
 * of a moment ago, and so all that was committed before.
 */
import type { KindName } from '#shared/domain/kind-name.ts';
import type { MonotonicClock } from '#shared/domain/clock.ts';
import type { KubeObject, ObjectKey, Resource, Uid } from '#shared/domain/objects.ts';
import type { Operation, Plan } from '#shared/domain/plan.ts';
import type { OnceThere, Reader } from '#shared/kube/reader.ts';
import type { CreatedTraces } from './created-traces.ts';

/**
 * An answer of the API server counts as the current state for so long from its request on, in monotonic
 * milliseconds: longer than the reads of a decision usually take, so that it costs no second request.
 */
export const currentForMs = 1_000;

export interface Noted {
  readonly kind: Resource;
  /** The resources of which is noted how old at most what is read of them may be. */
  readonly followed: readonly Resource[];
  /** By this process, a moment ago. Absent: nothing. */
  readonly created?: Pick<CreatedTraces, 'of' | 'failedAtMs'>;
}

/**
 * A reader that notes which version of one object it gave. A class, since an object literal with a
 * getter keeps what the getter sees, here all that a pass reads, until the next full collection.
 */
export class NotingReader implements Reader {
  readonly #reader: Reader;
  readonly #kind: Resource;
  readonly #key: Pick<ObjectKey, 'namespace' | 'name' | 'uid'>;
  readonly #clock: MonotonicClock;
  #version: string | undefined;
  #askedAtMs = -Infinity;
  #servedByServerAtMs = -Infinity;
  #asOf: ReadonlyMap<Resource, number> = new Map();
  #opening: Promise<Reader> | undefined;
  /** What is read from in this round. */
  #opened: Reader;
  readonly #followed: readonly Resource[];
  readonly #created: Noted['created'];

  constructor(
    reader: Reader,
    { kind, followed, created }: Noted,
    key: Pick<ObjectKey, 'namespace' | 'name' | 'uid'>,
    clock: MonotonicClock,
  ) {
    this.#followed = followed;
    this.#clock = clock;
    this.#created = created;
    this.#reader = reader;
    this.#opened = reader;
    this.#kind = kind;
    this.#key = key;
  }

  /** Of the object as it was read last; undefined: there was none. */
  get version(): string | undefined {
    return this.#version;
  }

  /** When the object was asked for last, monotonic milliseconds. */
  get askedAtMs(): number {
    return this.#askedAtMs;
  }

  /** When the API server was asked for what was given of the object; -Infinity: not in this run. */
  get servedByServerAtMs(): number {
    return this.#servedByServerAtMs;
  }

  /** What was read of the resource held all that was committed until then, monotonic milliseconds. */
  currentAsOfMs(resource: Resource): number {
    return this.#asOf.get(resource) ?? -Infinity;
  }

  /** Not before it shows what this process may have created without being told. */
  isCurrent(resource: Resource): boolean {
    const asOfMs = this.currentAsOfMs(resource);
    const failedAtMs = this.#created?.failedAtMs(this.#key.uid) ?? -Infinity;
    return asOfMs > failedAtMs && this.#clock.monotonicMs() - asOfMs <= currentForMs;
  }

  async get(...asked: Parameters<Reader['get']>): ReturnType<Reader['get']> {
    const askedAtMs = this.#clock.monotonicMs();
    const reader = await this.#open();
    const object = await reader.get(...asked);
    const [kind, { namespace, name }] = asked;
    const isThatOne = namespace === this.#key.namespace && name === this.#key.name;
    if (kind === this.#kind && isThatOne) {
      this.#version = object?.metadata.resourceVersion;
      this.#askedAtMs = askedAtMs;
      const servedAtMs = object === undefined ? undefined : reader.servedAtMs?.(object);
      // Of an answer to a run before this one nobody knows what other replicas have written since.
      const isOfThisRun = servedAtMs !== undefined && servedAtMs >= askedAtMs;
      this.#servedByServerAtMs = isOfThisRun ? servedAtMs : -Infinity;
    }
    return object;
  }

  async list(...asked: Parameters<Reader['list']>): ReturnType<Reader['list']> {
    return (await this.#open()).list(...asked);
  }

  async listByOwner(
    ...asked: Parameters<Reader['listByOwner']>
  ): ReturnType<Reader['listByOwner']> {
    return (await this.#open()).listByOwner(...asked);
  }

  async listByOwners(
    ...asked: Parameters<Reader['listByOwners']>
  ): ReturnType<Reader['listByOwners']> {
    return (await this.#open()).listByOwners(...asked);
  }

  async listByRoot(
    ...asked: Parameters<NonNullable<Reader['listByRoot']>>
  ): Promise<readonly KubeObject[]> {
    return (await (await this.#open()).listByRoot?.(...asked)) ?? [];
  }

  async resourceOf(kind: KindName): Promise<Resource | undefined> {
    return (await this.#open()).resourceOf?.(kind);
  }

  async eventsAbout(
    ...asked: Parameters<NonNullable<Reader['eventsAbout']>>
  ): Promise<readonly KubeObject[]> {
    return (await (await this.#open()).eventsAbout?.(...asked)) ?? [];
  }

  #open(): Promise<Reader> {
    this.#opening ??= this.#begin();
    return this.#opening;
  }

  /** How current it is, is noted before the first read: later reads can only hold more. */
  async #begin(): Promise<Reader> {
    const reader = this.#reader;
    this.#opened = reader.ofOneMoment ? await reader.ofOneMoment(this.#key.uid) : reader;
    const asOf = (resource: Resource) => this.#opened.currentAsOfMs?.(resource) ?? -Infinity;
    this.#asOf = new Map(this.#followed.map((resource) => [resource, asOf(resource)]));
    return this.#opened;
  }

  onceThere(kind: Resource, owner: Uid): OnceThere | undefined {
    const known = this.#opened.onceThere?.(kind, owner);
    const own = this.#created?.of(owner, kind);
    if (own === undefined || own.length === 0) return known;
    return { traces: [...(known?.traces ?? []), ...own], isWhole: known?.isWhole === true };
  }
}

/** Whether no version fences something in the plan that stays: what is created, removed or stopped. */
export function cannotBeUndone(plan: Plan): boolean {
  return finalResources(plan).length > 0;
}

function isFinal(operation: Operation): boolean {
  switch (operation.kind) {
    case 'create':
      return true;
    case 'delete':
      return operation.resourceVersion === undefined;
    case 'patch':
    case 'patchStatus':
      return operation.isFinal === true;
    case 'emitEvent':
      return false;
  }
}

/** The resources of what {@link cannotBeUndone}. */
export function finalResources(plan: Plan): readonly Resource[] {
  return plan.flatMap((stage) =>
    stage.flatMap((operation) =>
      isFinal(operation) && operation.kind !== 'emitEvent' ? [operation.resource] : [],
    ),
  );
}

/**
 * Whether own writes show that what was read is the state of a moment ago: of the object itself, and of
 * what is to be created, removed or stopped.
 */
export function isSeenCurrent(
  reader: Pick<NotingReader, 'currentAsOfMs'>,
  resources: readonly Resource[],
  nowMs: number,
): boolean {
  return resources.every((resource) => nowMs - reader.currentAsOfMs(resource) <= currentForMs);
}

/** Throws what the reader throws. */
export async function isCurrent(
  version: string | undefined,
  fresh: Reader,
  kind: Resource,
  key: Pick<ObjectKey, 'namespace' | 'name' | 'uid'>,
): Promise<boolean> {
  const object = await fresh.get(kind, key);
  return object?.metadata.uid === key.uid && object.metadata.resourceVersion === version;
}
