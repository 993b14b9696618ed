import { hasCode } from '#shared/domain/errors.ts';
import type { KubeObject, Resource, Uid } from '#shared/domain/objects.ts';
import type { KindName } from '#shared/domain/kind-name.ts';
import type { Circumstances } from '#shared/runtime/function/event-function.ts';
import type { OnceThere, Reader } from '#shared/kube/reader.ts';
import type { Sight } from '../model/child-history.ts';

/** Notes what one pass reads of Jobs, Pods and nodes. A class for the same reason as NotingReader. */
export class SightReader implements Reader, Sight {
  readonly versions = new Map<string, Set<string>>();
  readonly soughtAt = new Map<string, number>();
  readonly events = new Map<string, readonly KubeObject[]>();
  readonly beganAtMs: number;
  nodesAreNow = false;
  isTentative = false;
  readonly #now: Resource | undefined;
  readonly #reader: Reader;
  readonly #revision: () => number;
  #pods: Sight['pods'];
  #nodes: KubeObject[] | undefined;

  /** `revision`: the current one of the API server's store. */
  constructor(reader: Reader, revision: () => number, { nowMs, now }: Circumstances = {}) {
    this.beganAtMs = nowMs ?? -Infinity;
    this.#now = now;
    this.#reader = reader;
    this.#revision = revision;
  }

  /** `now`: the decision rests on the API server's list of it. */
  judge(now: Resource | undefined): void {
    this.isTentative = now !== undefined && now !== this.#now;
  }

  get nodes(): Sight['nodes'] {
    return this.#nodes;
  }

  get pods(): Sight['pods'] {
    return this.#pods;
  }

  async get(...asked: Parameters<Reader['get']>): Promise<KubeObject | undefined> {
    if (asked[0].plural === 'jobs') this.soughtAt.set(asked[1].name, this.#revision());
    const object = await this.#reader.get(...asked);
    if (asked[0].plural === 'nodes') this.#noteNode(asked[1].name, object);
    else if (object !== undefined) this.#note([object]);
    return object;
  }

  async list(...asked: Parameters<Reader['list']>): Promise<readonly KubeObject[]> {
    const objects = await this.#reader.list(...asked);
    if (asked[0].plural === 'nodes') {
      this.#nodes = [...objects];
      this.nodesAreNow = asked[1] === 'now';
    }
    return objects;
  }

  async listByOwner(...asked: Parameters<Reader['listByOwner']>): Promise<readonly KubeObject[]> {
    const objects = await this.#reader.listByOwner(...asked);
    this.#note(objects);
    return objects;
  }

  async listByOwners(...asked: Parameters<Reader['listByOwners']>): Promise<readonly KubeObject[]> {
    try {
      const pods = await this.#reader.listByOwners(...asked);
      this.#pods = pods;
      return pods;
    } catch (error) {
      if (hasCode(error, 'MR_API_FORBIDDEN')) this.#pods = 'forbidden';
      throw error;
    }
  }

  async listByRoot(
    ...asked: Parameters<NonNullable<Reader['listByRoot']>>
  ): Promise<readonly KubeObject[]> {
    return (await this.#reader.listByRoot?.(...asked)) ?? [];
  }

  async resourceOf(kind: KindName): Promise<Resource | undefined> {
    return this.#reader.resourceOf?.(kind);
  }

  async eventsAbout(
    ...asked: Parameters<NonNullable<Reader['eventsAbout']>>
  ): Promise<readonly KubeObject[]> {
    const events = (await this.#reader.eventsAbout?.(...asked)) ?? [];
    this.events.set(asked[0].uid, events);
    return events;
  }

  /** The answer counts, not the list's object of this name. */
  #noteNode(name: string, node: KubeObject | undefined): void {
    const others = this.#nodes?.filter(({ metadata }) => metadata.name !== name) ?? [];
    this.#nodes = node === undefined ? others : [...others, node];
  }

  isCurrent(resource: Resource): boolean {
    return this.#reader.isCurrent?.(resource) ?? false;
  }

  onceThere(kind: Resource, owner: Uid): OnceThere | undefined {
    return this.#reader.onceThere?.(kind, owner);
  }

  #note(objects: readonly KubeObject[]): void {
    for (const { metadata } of objects) {
      const known = this.versions.get(metadata.uid) ?? new Set();
      this.versions.set(metadata.uid, known.add(metadata.resourceVersion));
    }
  }
}
