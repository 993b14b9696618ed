/** A cluster in memory, with what plans and readers need: names, uids, versions and conflicts. */
import { MillraceError } from '#shared/domain/errors.ts';
import {
  asResourceVersion,
  asUid,
  isControlledBy,
  type JsonObject,
  type KubeObject,
  type NewObject,
  type ObjectName,
  type Resource,
} from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { Reader } from '#shared/kube/reader.ts';

export interface StoredCluster {
  readonly client: KubeClient;
  readonly reader: Reader;
  objects(kind: string): readonly KubeObject[];
  /** Stores an object as if a user had created it. */
  put(object: NewObject): KubeObject;
  /** Changes metadata as another writer might, so that the version increases. */
  touch(kind: string, name: string): void;
}

export function createStoredCluster(): StoredCluster {
  const objects = new Map<string, KubeObject>();
  let version = 0;
  const keyOf = (kind: string, { namespace, name }: ObjectName) => `${kind}/${namespace}/${name}`;
  const store = (key: string, object: Omit<KubeObject, 'metadata'> & { metadata: object }) => {
    version += 1;
    const metadata = { ...object.metadata, resourceVersion: asResourceVersion(String(version)) };
    const stored = { ...object, metadata } as KubeObject;
    objects.set(key, stored);
    return stored;
  };
  const put = (object: NewObject): KubeObject => {
    const { namespace = '', name } = object.metadata;
    const key = keyOf(object.kind, { namespace, name });
    if (objects.has(key)) throw conflict('create', name, 'AlreadyExists');
    const uid = asUid(`uid-${version + 1}`);
    return store(key, { ...object, metadata: { ...object.metadata, uid } });
  };
  const find = (resource: Resource, name: ObjectName) => objects.get(keyOf(resource.kind, name));
  const patch = (resource: Resource, name: ObjectName, changes: JsonObject): KubeObject => {
    const existing = find(resource, name);
    if (existing === undefined) throw notFound('patch', name.name);
    const wanted = (changes['metadata'] ?? {}) as Partial<KubeObject['metadata']>;
    const { uid, resourceVersion } = existing.metadata;
    if ((wanted.uid ?? uid) !== uid) throw conflict('patch', name.name, 'Conflict');
    if ((wanted.resourceVersion ?? resourceVersion) !== resourceVersion) {
      throw conflict('patch', name.name, 'Conflict');
    }
    return store(keyOf(resource.kind, name), {
      ...existing,
      ...changes,
      metadata: existing.metadata,
    });
  };
  const client: KubeClient = {
    get: async (resource, name) => find(resource, name),
    list: async () => ({ resourceVersion: asResourceVersion(String(version)), items: [] }),
    watch: () => {
      throw new Error('nothing of a function watches');
    },
    create: async (_resource, object) => put(object),
    discover: async () => undefined,
    review: async () => ({ allowed: true }),
    patch: async (resource, name, changes) => patch(resource, name, changes as JsonObject),
    delete: async (resource, name, { uid, resourceVersion } = {}) => {
      const existing = find(resource, name);
      if (existing === undefined) throw notFound('delete', name.name);
      const { metadata } = existing;
      if (
        (uid ?? metadata.uid) !== metadata.uid ||
        (resourceVersion ?? metadata.resourceVersion) !== metadata.resourceVersion
      ) {
        throw conflict('delete', name.name, 'Conflict');
      }
      objects.delete(keyOf(resource.kind, name));
      return undefined;
    },
  };
  const ofKind = (kind: string) => [...objects.values()].filter((object) => object.kind === kind);
  return {
    client,
    put,
    objects: ofKind,
    reader: {
      get: async (resource, name) => find(resource, name),
      list: async ({ kind }) => ofKind(kind),
      listByOwner: async ({ kind }, { uid }) =>
        ofKind(kind).filter(({ metadata }) => isControlledBy(metadata, uid)),
      listByOwners: async ({ kind }, _, uids) =>
        ofKind(kind).filter(({ metadata }) => uids.some((uid) => isControlledBy(metadata, uid))),
    },
    touch: (kind, name) => {
      const key = [...objects.keys()].find((each) => each.startsWith(kind) && each.endsWith(name));
      const object = objects.get(key ?? '');
      if (key !== undefined && object !== undefined) store(key, object);
    },
  };
}

function conflict(verb: string, path: string, reason: 'AlreadyExists' | 'Conflict'): MillraceError {
  return new MillraceError('MR_API_CONFLICT', { verb, path, reason, detail: 'in memory' });
}

function notFound(verb: string, path: string): MillraceError {
  return new MillraceError('MR_API_NOT_FOUND', { verb, path, detail: 'in memory' });
}
