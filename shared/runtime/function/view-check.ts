/**
 * Whether an object is still as it was read.
 *
 * A name is a lock only while an object has it (law 2). Another replica may have started, recorded and
 * removed a Job since the view's state. A decision on that view would start the Job again, remove what
 * the object still waits for, or stop work that then never continues. So before a create, removal or
 * stop, the API server must confirm that the decided object is unchanged. A write that carries the
 * version needs no check, and neither does one that a later pass corrects. No check is needed if the
 * view holds an own write of a moment ago, and so everything that was committed before it.
 */
import type { KindName } from '#shared/domain/kind-name.ts';
import type { MonotonicClock } from '#shared/domain/clock.ts';
import type { KubeObject, ObjectKey, Resource, Uid } from '#shared/domain/objects.ts';
import type { Operation, Plan } from '#shared/domain/plan.ts';
import type { OnceThere, Reader } from '#shared/kube/reader.ts';
import type { CreatedTraces } from './created-traces.ts';

/**
 * An answer of the API server counts as current for this time from its request on, in monotonic
 * milliseconds. The reads of a decision usually take less, so that no second request is needed.
 */
export const currentForMs = 1_000;

export interface Noted {
  readonly kind: Resource;
  /** The resources whose maximal age is noted when they are read. */
  readonly followed: readonly Resource[];
  /** Objects that this process has just created. Absent: none. */
  readonly created?: Pick<CreatedTraces, 'of' | 'failedAtMs'>;
}

/**
 * A reader that notes which version of one object it returned. It is a class because an object literal
 * with a getter would keep everything that a pass reads until the next full collection.
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
  /** The reader of this round. */
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

  /** The version that was last read. Undefined: there was no object. */
  get version(): string | undefined {
    return this.#version;
  }

  /** When the object was last requested, in monotonic milliseconds. */
  get askedAtMs(): number {
    return this.#askedAtMs;
  }

  /** When the API server was asked for the returned object. -Infinity: not in this run. */
  get servedByServerAtMs(): number {
    return this.#servedByServerAtMs;
  }

  /**
   * The read objects of this resource include everything committed until then, in monotonic
   * milliseconds.
   */
  currentAsOfMs(resource: Resource): number {
    return this.#asOf.get(resource) ?? -Infinity;
  }

  /** False until it shows what this process may have created without an answer. */
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
      // An answer from before this run does not count: other replicas may have written since.
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

  /** Noted before the first read: later reads can only be newer. */
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

/** Whether the plan has a lasting write that no version guards: a create, a removal or a stop. */
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

/** The resources of the writes that {@link cannotBeUndone} finds. */
export function finalResources(plan: Plan): readonly Resource[] {
  return plan.flatMap((stage) =>
    stage.flatMap((operation) =>
      isFinal(operation) && operation.kind !== 'emitEvent' ? [operation.resource] : [],
    ),
  );
}

/**
 * Whether own writes show that the reads are at most a moment old. This covers the object itself and
 * the resources to be created, removed or stopped.
 */
export function isSeenCurrent(
  reader: Pick<NotingReader, 'currentAsOfMs'>,
  resources: readonly Resource[],
  nowMs: number,
): boolean {
  return resources.every((resource) => nowMs - reader.currentAsOfMs(resource) <= currentForMs);
}

/** Throws the reader's errors. */
export async function isCurrent(
  version: string | undefined,
  fresh: Reader,
  kind: Resource,
  key: Pick<ObjectKey, 'namespace' | 'name' | 'uid'>,
): Promise<boolean> {
  const object = await fresh.get(kind, key);
  return object?.metadata.uid === key.uid && object.metadata.resourceVersion === version;
}
