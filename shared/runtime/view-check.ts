/**
 * Whether what was read of an object is its present state.
 *
 * A name is a lock only while an object has it (law 2). What another replica started, recorded and
 * removed since would start once more on the word of a view that is behind: so nothing is created
 * before the API server has said that the object decided about is still the one that was read. Only
 * creates need it: every other write carries a version or a uid.
 */
import type { ObjectKey } from '#shared/domain/objects.ts';
import type { Plan } from '#shared/domain/plan.ts';
import type { ResourceKind } from '#shared/domain/resources.ts';
import type { Reader } from '#shared/kube/reader.ts';

export interface NotingReader extends Reader {
  /** The version that was read last of the object with this key; undefined: none. */
  readonly version: string | undefined;
}

/** The reader, noting which version of one object it gave. */
export function noting(reader: Reader, kind: ResourceKind, { name }: ObjectKey): NotingReader {
  let version: string | undefined;
  return {
    get version() {
      return version;
    },
    get: async (asked, target, controller) => {
      const object = await reader.get(asked, target, controller);
      if (asked === kind && target.name === name) version = object?.metadata.resourceVersion;
      return object;
    },
    listByOwner: (asked, owner) => reader.listByOwner(asked, owner),
  };
}

export function createsSomething(plan: Plan): boolean {
  return plan.some((stage) => stage.some(({ kind }) => kind === 'create'));
}

/** Throws what the reader throws. */
export async function isPresent(
  version: string | undefined,
  fresh: Reader,
  kind: ResourceKind,
  key: ObjectKey,
): Promise<boolean> {
  const object = await fresh.get(kind, key);
  return object?.metadata.uid === key.uid && object.metadata.resourceVersion === version;
}
