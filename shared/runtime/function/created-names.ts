import { type Resource, resourceKey } from '#shared/domain/objects.ts';
import type { WrittenObject } from '#shared/kube/apply-plan.ts';

/**
 * What a run has created: it was there, whatever is to be seen of it when the run looks again. Views may be away by
 * then, and the API server tells nothing of what is gone.
 */
export class CreatedNames {
  readonly #names = new Map<string, string[]>();

  add(writes: readonly Pick<WrittenObject, 'done' | 'resource' | 'name'>[]): void {
    for (const { done, resource, name } of writes) {
      if (done !== 'create' && done !== 'adopt') continue;
      const key = resourceKey(resource);
      const names = this.#names.get(key);
      if (names === undefined) this.#names.set(key, [name]);
      else names.push(name);
    }
  }

  of(resource: Resource): readonly string[] {
    return this.#names.get(resourceKey(resource)) ?? [];
  }
}
