/** Finds the dependents of an owner by uid, for garbage collection after every deletion. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ResourceType } from '../registry/resource-type.ts';

/** An object, with the type as which it is stored. */
export interface Located {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

export class OwnerIndex {
  readonly #objects = new Map<string, Located>();
  readonly #dependents = new Map<string, Set<string>>();

  byUid(uid: string): Located | undefined {
    return this.#objects.get(uid);
  }

  dependentsOf(uid: string): readonly Located[] {
    const uids = this.#dependents.get(uid);
    if (uids === undefined) return [];
    return [...uids].flatMap((dependent) => this.#objects.get(dependent) ?? []);
  }

  put(type: ResourceType, object: KubeObject, old: KubeObject | undefined): void {
    const { uid, ownerReferences } = object.metadata;
    this.#objects.set(uid, { type, object });
    if (old?.metadata.ownerReferences === ownerReferences) return;
    if (old !== undefined) this.#unlink(old);
    for (const owner of ownerReferences ?? []) {
      let uids = this.#dependents.get(owner.uid);
      if (uids === undefined) {
        uids = new Set();
        this.#dependents.set(owner.uid, uids);
      }
      uids.add(uid);
    }
  }

  remove(object: KubeObject): void {
    this.#objects.delete(object.metadata.uid);
    this.#unlink(object);
  }

  #unlink({ metadata }: KubeObject): void {
    for (const owner of metadata.ownerReferences ?? []) {
      const uids = this.#dependents.get(owner.uid);
      uids?.delete(metadata.uid);
      if (uids?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}
