/** The reads of one round, from one root's views at the beginning of the round. */
import type { KindName } from '#shared/domain/kind-name.ts';
import type { KubeObject, ObjectName, Resource, Uid } from '#shared/domain/objects.ts';
import type { OnceThere, Reader } from '#shared/kube/reader.ts';
import type { MirroredRoot } from './mirror.ts';

/** The answer of the views for a root. */
export interface Seen {
  /** Undefined: it is missing or could not be read. */
  readonly root: MirroredRoot | undefined;
  /** Keys of notes. Undefined: they are unreadable or may be of another history. */
  readonly noted: ReadonlySet<string> | undefined;
}

export interface Moment {
  readonly uid: Uid;
  seen: Seen;
  /** The API server returned the root itself since: its children must not be older than that. */
  isPast: boolean;
}

/** Reads that take a moment, if one is given. */
export interface MomentSource extends Reader {
  get(
    kind: Resource,
    name: ObjectName,
    controller?: Uid,
    asOf?: 'now',
    moment?: Moment,
  ): Promise<KubeObject | undefined>;
  listByOwner(
    kind: Resource,
    owner: Owner,
    now?: { readonly fieldSelector: string },
    moment?: Moment,
  ): Promise<readonly KubeObject[]>;
  listByOwners(
    kind: Resource,
    root: Owner,
    children: readonly Uid[],
    moment?: Moment,
  ): Promise<readonly KubeObject[]>;
  listByRoot(kind: Resource, root: Owner, moment?: Moment): Promise<readonly KubeObject[]>;
  servedAtMs(object: KubeObject): number | undefined;
  /** As `currentAsOfMs` of a reader. */
  shownAsOfMs(resource: Resource, moment: Moment): number;
  /** As `onceThere` of a reader. */
  outOfSight(kind: Resource, owner: Uid, moment: Moment): OnceThere | undefined;
}

interface Owner {
  readonly namespace: string;
  readonly uid: Uid;
}

/** A class for the same reason as NotingReader. */
export class MomentReader implements Reader {
  readonly #source: MomentSource;
  readonly #moment: Moment;

  constructor(source: MomentSource, moment: Moment) {
    this.#source = source;
    this.#moment = moment;
  }

  get(
    kind: Resource,
    name: ObjectName,
    controller?: Uid,
    asOf?: 'now',
  ): Promise<KubeObject | undefined> {
    return this.#source.get(kind, name, controller, asOf, this.#moment);
  }

  list(...asked: Parameters<Reader['list']>): ReturnType<Reader['list']> {
    return this.#source.list(...asked);
  }

  listByOwner(
    kind: Resource,
    owner: Owner,
    now?: { readonly fieldSelector: string },
  ): Promise<readonly KubeObject[]> {
    return this.#source.listByOwner(kind, owner, now, this.#moment);
  }

  listByOwners(
    kind: Resource,
    root: Owner,
    children: readonly Uid[],
  ): Promise<readonly KubeObject[]> {
    return this.#source.listByOwners(kind, root, children, this.#moment);
  }

  listByRoot(kind: Resource, root: Owner): Promise<readonly KubeObject[]> {
    return this.#source.listByRoot(kind, root, this.#moment);
  }

  async resourceOf(kind: KindName): Promise<Resource | undefined> {
    return this.#source.resourceOf?.(kind);
  }

  async eventsAbout(
    ...asked: Parameters<NonNullable<Reader['eventsAbout']>>
  ): Promise<readonly KubeObject[]> {
    return (await this.#source.eventsAbout?.(...asked)) ?? [];
  }

  servedAtMs(object: KubeObject): number | undefined {
    return this.#source.servedAtMs(object);
  }

  onceThere(kind: Resource, owner: Uid): OnceThere | undefined {
    if (owner !== this.#moment.uid) return undefined;
    return this.#source.outOfSight(kind, owner, this.#moment);
  }

  currentAsOfMs(resource: Resource): number {
    return this.#source.shownAsOfMs(resource, this.#moment);
  }
}
