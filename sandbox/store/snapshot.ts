/** The whole content of a store as one JSON document, from which another process can continue. */
import { groupVersionOf, type KubeObject } from '#shared/domain/objects.ts';
import { typeKey } from '../registry/resource-type.ts';
import type { TypeRegistry } from '../registry/type-registry.ts';
import type { ObjectStore } from './object-store.ts';
import type { Located } from './owner-index.ts';

const snapshotFormat = 1;

export interface Snapshot {
  readonly format: typeof snapshotFormat;
  readonly revision: number;
  readonly objects: readonly {
    readonly group: string;
    readonly plural: string;
    readonly object: KubeObject;
  }[];
}

interface Kept {
  readonly store: ObjectStore;
  readonly types: TypeRegistry;
}

export function snapshotOf({ store, types }: Kept): Snapshot {
  const objects = present(types, store).map(({ type: { group, plural }, object }) => {
    return { group, plural, object };
  });
  return { format: snapshotFormat, revision: store.revision, objects };
}

/** Replaces the content by the snapshot. Call it before the first watch. */
export function restore({ store, types }: Kept, { objects, revision }: Snapshot): void {
  for (const { type, object } of present(types, store)) {
    store.remove(type, object.metadata.namespace ?? '', object.metadata.name);
  }
  // Lazily, because the types of custom resources are known only after their definitions.
  const restored = definitionsFirst(objects).map(({ group, plural, object }) => () => {
    const { version } = groupVersionOf(object.apiVersion);
    const storage = types.storageOf({ group, version, plural });
    return storage === undefined ? [] : [{ type: storage.type, object }];
  });
  store.restore(lazily(restored), revision);
}

/** The snapshot in a text, or why it has none. */
export function readSnapshot(text: string): Snapshot | string {
  const snapshot = parsed(text);
  return snapshotFault(snapshot) ?? (snapshot as Snapshot);
}

/** Each object once, even if several versions of its type are served. */
function present(types: TypeRegistry, store: ObjectStore): readonly Located[] {
  const stored = new Map(
    types.all().flatMap((served) => {
      const type = types.storageOf(served)?.type;
      return type === undefined ? [] : [[typeKey(type), type] as const];
    }),
  );
  return [...stored.values()].flatMap((type) =>
    store.list(type).map((object) => ({ type, object })),
  );
}

function definitionsFirst(objects: Snapshot['objects']): Snapshot['objects'] {
  const isDefinition = ({ plural }: { readonly plural: string }): boolean =>
    plural === 'customresourcedefinitions';
  const rest = objects.filter((entry) => !isDefinition(entry));
  return [...objects.filter(isDefinition), ...rest];
}

function* lazily<T>(calls: readonly (() => readonly T[])[]): Generator<T> {
  for (const call of calls) yield* call();
}

function snapshotFault(snapshot: unknown): string | undefined {
  if (snapshot === undefined) return 'it is no JSON';
  const { format, revision, objects } = fieldsOf(snapshot);
  if (format !== snapshotFormat) return `its format is not ${snapshotFormat}`;
  if (!Number.isSafeInteger(revision) || (revision as number) < 0) {
    return 'its revision is no whole number';
  }
  if (!Array.isArray(objects)) return 'its objects are no list';
  const bad = objects.findIndex((entry) => !isEntry(entry, revision as number));
  return bad < 0 ? undefined : `objects[${bad}] is no object that was kept`;
}

function isEntry(entry: unknown, revision: number): boolean {
  const { group, plural, object } = fieldsOf(entry);
  const { apiVersion, kind, metadata } = fieldsOf(object);
  const { name, uid, resourceVersion } = fieldsOf(metadata);
  const texts = [group, plural, apiVersion, kind, name, uid, resourceVersion];
  if (texts.some((text) => typeof text !== 'string')) return false;
  return /^[1-9]\d*$/.test(resourceVersion as string) && Number(resourceVersion) <= revision;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The caller adds the name of the file.
    return undefined;
  }
}
