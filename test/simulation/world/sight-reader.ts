import { hasCode } from '#shared/domain/errors.ts';
import type { KubeObject, Resource, Uid } from '#shared/domain/objects.ts';
import type { Reader } from '#shared/kube/reader.ts';
import type { Sight } from '../model/child-history.ts';

/** Notes what one pass reads of Jobs, Pods and nodes. A class, as NotingReader is and for its reason. */
export class SightReader implements Reader, Sight {
  readonly versions = new Map<string, Set<string>>();
  readonly #reader: Reader;
  #pods: Sight['pods'];
  #nodes: KubeObject[] | undefined;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  get nodes(): Sight['nodes'] {
    return this.#nodes;
  }

  get pods(): Sight['pods'] {
    return this.#pods;
  }

  async get(...asked: Parameters<Reader['get']>): Promise<KubeObject | undefined> {
    const object = await this.#reader.get(...asked);
    if (object === undefined) return undefined;
    if (asked[0].plural === 'nodes') this.#nodes?.push(object);
    else this.#note([object]);
    return object;
  }

  async list(...asked: Parameters<Reader['list']>): Promise<readonly KubeObject[]> {
    const objects = await this.#reader.list(...asked);
    if (asked[0].plural === 'nodes') this.#nodes = [...objects];
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
      if (hasCode(error, 'MR_API_FORBIDDEN')) this.#pods = 'nobody may';
      throw error;
    }
  }

  removedByOwner(kind: Resource, owner: Uid): readonly string[] | undefined {
    return this.#reader.removedByOwner?.(kind, owner);
  }

  #note(objects: readonly KubeObject[]): void {
    for (const { metadata } of objects) {
      const known = this.versions.get(metadata.uid) ?? new Set();
      this.versions.set(metadata.uid, known.add(metadata.resourceVersion));
    }
  }
}
