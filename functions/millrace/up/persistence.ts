/**
 * Keeps the objects of a sandbox in a file.
 *
 * P1 The file is replaced whole: a reader finds one moment's state, never half of one.
 * P2 Versions and the revision are kept too, so that a watch from before the restart is answered
 *    410 and lists anew instead of missing changes.
 * P3 The pace is bound to the size: a state of 60 MB is written every 30 s at most, since writing it stops
 *    everything else for half a second. A clean end writes what is not written yet; a kill loses what
 *    changed since.
 */
import { access, constants, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readSnapshot, type Sandbox, type Snapshot, snapshotOf } from '#sandbox';
import { CommandFailure, exitCodes } from '../command-failure.ts';

const fileName = 'sandbox.json';

/**
 * Undefined when nothing was kept yet; makes the folder then. Throws CommandFailure when the file
 * cannot be used, or when nothing could be kept in the folder: that would show at the end only.
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

/** The last part by itself: on a file system that makes no folders the other way never returns. */
async function make(folder: string): Promise<void> {
  const path = resolve(folder);
  await mkdir(dirname(path), { recursive: true });
  await mkdir(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

export interface Keeper {
  /** Writes what is not written yet, and no more after that. */
  close(): Promise<void>;
}

/** Changes are written together, this long after the first of them at least. */
const delayMs = 1_000;
/** After a state of so many characters nothing is written for a further millisecond. */
const charactersPerMs = 2_000;

/** How long changes wait after a state of this length was written, in milliseconds (P3). */
export function pauseAfter(characters: number): number {
  return Math.max(delayMs, Math.ceil(characters / charactersPerMs));
}

/** Writes the state after changes, one write at a time. `onError`: it could not be written. */
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

/** Beside its place first: a rename is all or nothing. */
async function writeWhole(folder: string, text: string): Promise<void> {
  await make(folder);
  const draft = join(folder, `${fileName}.new`);
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, join(folder, fileName));
}
