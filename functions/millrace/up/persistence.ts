/**
 * Keeps the objects of a sandbox in a file.
 *
 * persistence-1 The file is replaced as a whole, so a reader never finds half a state.
 * persistence-2 Versions and the revision are kept too. So a watch from before the restart gets 410 and lists again,
 *    instead of missing changes.
 * persistence-3 The pace depends on the size, because a write blocks everything else: half a second for 60 MB, which is
 *    written every 30 s at most. A clean end writes the last changes. A kill loses the changes since the last write.
 */
import { access, constants, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readSnapshot, type Sandbox, type Snapshot, snapshotOf } from '#sandbox';
import { CommandFailure, exitCodes } from '../command-failure.ts';

const fileName = 'sandbox.json';

/**
 * Undefined: nothing was kept yet; the folder is then created. Throws CommandFailure if the file cannot be used or the
 * folder is not writable, which would otherwise be noticed only at the end.
 */
export async function readKeptState(folder: string): Promise<Snapshot | undefined> {
  await makeWritable(folder);
  const file = join(folder, fileName);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const snapshot = readSnapshot(text);
  if (typeof snapshot !== 'string') return snapshot;
  throw new CommandFailure(
    exitCodes.invalidInput,
    `${file} is no state of a sandbox that this version can read: ${snapshot}`,
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

/** Creates the last folder by itself: a recursive mkdir never returns on a file system without folders. */
async function make(folder: string): Promise<void> {
  const path = resolve(folder);
  await mkdir(dirname(path), { recursive: true });
  await mkdir(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

export interface Keeper {
  /** Writes the last changes. Nothing is written afterwards. */
  close(): Promise<void>;
}

/** Changes are written together, at least this long after the first one. */
const delayMs = 1_000;
/** Each such number of characters in the state adds a millisecond to the pause. */
const charactersPerMs = 2_000;

/** Pause after a write of a state of this length, milliseconds (persistence-3). */
export function pauseAfter(characters: number): number {
  return Math.max(delayMs, Math.ceil(characters / charactersPerMs));
}

/** Writes the state after changes, one write at a time. `onError` is called when a write fails. */
export function keepState(
  folder: string,
  api: Sandbox['api'],
  onError: (error: unknown) => void,
): Keeper {
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let writtenRevision = -1;
  let pauseMs = delayMs;
  const write = async (): Promise<void> => {
    timer = undefined;
    if (api.store.revision === writtenRevision) return;
    const snapshot = snapshotOf(api);
    const text = JSON.stringify(snapshot);
    pauseMs = pauseAfter(text.length);
    await writeWhole(folder, text);
    writtenRevision = snapshot.revision;
  };
  const unsubscribe = api.store.onChange(() => {
    timer ??= setTimeout(() => {
      writing = writing.then(write).catch(onError);
    }, pauseMs);
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

/** Writes a draft first, because a rename is all or nothing. */
async function writeWhole(folder: string, text: string): Promise<void> {
  await make(folder);
  const draft = join(folder, `${fileName}.new`);
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, join(folder, fileName));
}
