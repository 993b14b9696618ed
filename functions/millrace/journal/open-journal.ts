/** Opens the journal that a command reads: a recording, a Redis, or a running `millrace up`. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import {
  entriesIn,
  entriesOf,
  type Reading,
  RecordingFault,
  type RecordedEntry,
} from '#shared/journal/recording.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { redisOf } from '../cluster-redis.ts';
import { remoteJournal } from '../up/remote-journal.ts';
import type { JournalSourceOptions } from './journal-options.ts';

export interface FileReading extends Reading {
  /** Called before each entry of a file, with the share of the file that was read, from 0 to 1. */
  readonly onRead?: (share: number) => void;
}

/**
 * All entries, oldest first. A recording ends with its last entry, even with `follow`. Throws CommandFailure,
 * MR_API_UNREACHABLE and MR_QUEUE_UNAVAILABLE.
 */
export async function* openEntries(
  options: JournalSourceOptions,
  reading: FileReading = {},
): AsyncGenerator<RecordedEntry> {
  if (options.file !== undefined) {
    yield* entriesOfFile(options.file, reading);
    return;
  }
  await using cluster = await openCluster(options, 'journal');
  if (options.redis !== undefined) yield* entriesOfRedis(options, cluster, reading);
  else if (cluster.control !== undefined) {
    yield* entriesOf(remoteJournal(cluster.control, cluster.connection), reading);
  } else throw noJournal(cluster);
}

async function* entriesOfFile(
  file: string,
  { onRead, ...reading }: FileReading,
): AsyncGenerator<RecordedEntry> {
  // Checked first: a stream that fails before it is read ends the process.
  const size = file === '-' ? undefined : await sizeOf(file);
  const opened = file === '-' ? undefined : createReadStream(file, 'utf8');
  const input = opened ?? process.stdin.setEncoding('utf8');
  try {
    for await (const entry of entriesIn(createInterface({ input, crlfDelay: Infinity }), reading)) {
      if (opened !== undefined && size !== undefined) onRead?.(opened.bytesRead / size);
      yield entry;
    }
  } catch (error) {
    if (!(error instanceof RecordingFault)) throw error;
    throw new CommandFailure(
      exitCodes.invalidInput,
      `${file === '-' ? 'standard input' : file} cannot be read as a recording: ${error.message}`,
      'millrace journal export > recording.ndjson',
    );
  } finally {
    input.destroy();
  }
}

/** In bytes. Undefined: it has no size, such as a pipe, or cannot be read, which reading then reports. */
async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory() === true) {
    const message = `${file} is a folder, not a file`;
    throw new CommandFailure(exitCodes.invalidInput, message, 'check the path');
  }
  return found === undefined || found.size === 0 ? undefined : found.size;
}

async function* entriesOfRedis(
  { redis: url = '', redisInsecure: insecure = false }: JournalSourceOptions,
  { client }: OpenedCluster,
  reading: Reading,
): AsyncGenerator<RecordedEntry> {
  const [{ createRedisJournal }, redis] = await Promise.all([
    import('#shared/journal/redis-journal.ts'),
    redisOf({ url, insecure }, client),
  ]);
  const journal = createRedisJournal(redis);
  try {
    yield* entriesOf(journal, reading);
  } finally {
    await journal.close();
  }
}

function noJournal({ connection }: OpenedCluster): CommandFailure {
  return new CommandFailure(
    exitCodes.usage,
    `no millrace up serves the cluster of ${connection.describe}, so its journal is in a Redis`,
    'name it with --redis, or a recording with --file',
  );
}
