/**
 * Keeps the objects of a sandbox in a file.
 *
 * P1 The file is replaced whole: whoever reads it finds one moment's state, never half of one.
 * P2 Versions and the revision are kept too, so that a watch from before the restart is answered
 *    410 and lists anew instead of missing changes.
 */
import { access, constants, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { SandboxApi } from '#sandbox/api/api.ts';
import { typeKey } from '#sandbox/registry/resource-type.ts';
import type { Located } from '#sandbox/store/owner-index.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';

export const snapshotFormat = 1;

export interface Snapshot {
  readonly format: typeof snapshotFormat;
  readonly revision: number;
  readonly objects: readonly {
    readonly group: string;
    readonly plural: string;
    readonly object: KubeObject;
  }[];
}

const fileName = 'sandbox.json';

/**
 * Undefined when nothing was kept yet; makes the folder then. Throws CommandFailure when the file
 * cannot be used, or when nothing could be kept in the folder: that would show at the end only.
 */
export async function readSnapshot(folder: string): Promise<Snapshot | undefined> {
  await makeWritable(folder);
  const file = join(folder, fileName);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const fault = snapshotFault(parsed(text));
  if (fault === undefined) return parsed(text) as Snapshot;
  throw new CommandFailure(
    exitCodes.invalidInput,
    `${file} is no state of a sandbox that this version can read: ${fault}`,
    `move ${file} away, or name another folder with --persist`,
  );
}

async function makeWritable(folder: string): Promise<void> {
  try {
    await make(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(
      exitCodes.invalidInput,
      `nothing can be kept in ${folder}: ${why}`,
      'name a folder with --persist that you may write to',
    );
  }
}

/** The last part by itself: on a file system that makes no folders the other way never returns. */
async function make(folder: string): Promise<void> {
  const path = resolve(folder);
  await mkdir(dirname(path), { recursive: true });
  await mkdir(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

/** Why it cannot be restored; undefined when it can. */
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
    // The caller says which file it is.
    return undefined;
  }
}

export function snapshotOf({ store, types }: Pick<SandboxApi, 'store' | 'types'>): Snapshot {
  const objects = present(types, store).map(({ type: { group, plural }, object }) => {
    return { group, plural, object };
  });
  return { format: snapshotFormat, revision: store.revision, objects };
}

/** Every object once, also where several versions of its type are served. */
function present(types: SandboxApi['types'], store: SandboxApi['store']): readonly Located[] {
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

/** Puts everything back as it was, in place of what is there. */
export function restore(
  { store, types }: Pick<SandboxApi, 'store' | 'types'>,
  { objects, revision }: Snapshot,
): void {
  for (const { type, object } of present(types, store)) {
    store.remove(type, object.metadata.namespace ?? '', object.metadata.name);
  }
  // Lazily: the types of custom resources are known once their definitions are back.
  const restored = definitionsFirst(objects).map(({ group, plural, object }) => () => {
    const version = object.apiVersion.split('/').at(-1) ?? '';
    const storage = types.storageOf({ group, version, plural });
    return storage === undefined ? [] : [{ type: storage.type, object }];
  });
  store.restore(lazily(restored), revision);
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

export interface Keeper {
  /** Writes what is not written yet, and no more after that. */
  close(): Promise<void>;
}

/** Changes are written together, this long after the first of them. */
const delayMs = 1_000;

/** Writes the state after changes, one write at a time. `onError`: it could not be written. */
export function keepState(
  folder: string,
  api: Pick<SandboxApi, 'store' | 'types'>,
  onError: (error: unknown) => void,
): Keeper {
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let writtenRevision = -1;
  const write = async (): Promise<void> => {
    timer = undefined;
    if (api.store.revision === writtenRevision) return;
    const snapshot = snapshotOf(api);
    await writeWhole(folder, JSON.stringify(snapshot));
    writtenRevision = snapshot.revision;
  };
  const unsubscribe = api.store.onChange(() => {
    timer ??= setTimeout(() => {
      writing = writing.then(write).catch(onError);
    }, delayMs);
  });
  return {
    close: async () => {
      unsubscribe();
      clearTimeout(timer);
      await writing;
      await write();
    },
  };
}

/** Beside its place first: a rename is all or nothing. */
async function writeWhole(folder: string, text: string): Promise<void> {
  await make(folder);
  const draft = join(folder, `${fileName}.new`);
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, join(folder, fileName));
}
