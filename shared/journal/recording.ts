/**
 * Events and whole decisions in the order of the journal, read from a journal or a recording. A recording
 * is a file with one JSON value per line, to be attached to a bug report.
 *
 * recording-1 A recording holds nothing that the journal does not hold, so no environment value (redact.ts).
 * recording-2 Its first line names its format. Other formats are refused.
 */
import { isList, isObject } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { EventReference } from '#shared/events/event-reference.ts';
import { DecisionReader, type RestoredDecision } from './decision-reader.ts';
import type { Journal, JournalEntry } from './journal.ts';

/** Increases when the meaning of a line changes. */
export const recordingFormat = 1;

export interface RecordedEvent {
  readonly kind: 'event';
  readonly position: string;
  readonly event: EventReference;
  /** When the bridge recorded it, in milliseconds since the epoch. */
  readonly atMs: number;
}

export interface RecordedDecision extends RestoredDecision {
  readonly position: string;
}

/** A decision whose snapshot cannot be restored because its base was dropped. */
export interface CutOffDecision extends Omit<RestoredDecision, 'kind' | 'snapshot' | 'plan'> {
  readonly kind: 'cutOff';
  readonly position: string;
  /** For people. */
  readonly why: string;
}

export type RecordedEntry = RecordedEvent | RecordedDecision | CutOffDecision;

const pageSize = 500;

export interface Reading {
  /** Called at the end; returns whether to look again. Absent: stop at the end. */
  readonly wait?: (() => Promise<boolean>) | undefined;
  /** Leaves out events, which are most of the entries. */
  readonly decisionsOnly?: boolean;
}

/** All entries, oldest first. Throws MR_QUEUE_UNAVAILABLE. */
export async function* entriesOf(
  journal: Pick<Journal, 'read'>,
  { wait, decisionsOnly = false }: Reading = {},
): AsyncGenerator<RecordedEntry> {
  const reader = new DecisionReader();
  for (let after: string | undefined; ;) {
    const page = await journal.read(after, pageSize);
    for (const entry of page) {
      const found = recordedEntry(reader, entry);
      if (found === undefined || (decisionsOnly && found.kind === 'event')) continue;
      yield found;
    }
    after = page.at(-1)?.position ?? after;
    if (page.length === 0 && (await wait?.()) !== true) return;
  }
}

function recordedEntry(reader: DecisionReader, entry: JournalEntry): RecordedEntry | undefined {
  const { position, record } = entry;
  if (record.kind === 'event') {
    const { kind, event, atMs } = record;
    return { kind, position, event, atMs };
  }
  if (record.kind !== 'decision') return undefined;
  const read = reader.read({ position, record });
  if (read.kind === 'restored') return { position, ...read.decision };
  // Keeps the differences: they show what was written, though not from which snapshot.
  return { ...record, kind: 'cutOff', position, why: read.why };
}

/** The first line of a recording. */
export function recordingHead(version: string, atMs: number): string {
  const exportedAt = new Date(atMs).toISOString();
  return JSON.stringify({ kind: 'recording', format: recordingFormat, version, exportedAt });
}

/** An unreadable line of a recording, with its number from 1. */
export class RecordingFault extends Error {
  override readonly name = 'RecordingFault';
}

/** Whether a line has what every reader of recordings uses. */
function isEntry(line: JsonObject): boolean {
  const { kind, event, atMs, key, nowMs, reasons } = line;
  if (kind === 'event') return isObject(event) && typeof atMs === 'number';
  const isDecision = kind === 'decision' || kind === 'cutOff';
  const isWhole = isObject(key) && typeof nowMs === 'number' && isList(reasons);
  return isDecision && isWhole && typeof line['outcome'] === 'string';
}

/**
 * The line of an event begins like this if `export` wrote it. Other writers may begin it differently;
 * such a line is parsed.
 */
const eventLine = '{"kind":"event",';

/** The entries of a recording, line by line. Throws RecordingFault. */
export async function* entriesIn(
  lines: AsyncIterable<string>,
  { decisionsOnly = false }: Pick<Reading, 'decisionsOnly'> = {},
): AsyncGenerator<RecordedEntry> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (decisionsOnly && number > 1 && line.startsWith(eventLine)) continue;
    if (line.trim() === '') continue;
    const value = parsedLine(line, number);
    if (number === 1) {
      requireFormat(value);
      continue;
    }
    if (!isEntry(value)) {
      throw new RecordingFault(`line ${number} is no event and no decision`);
    }
    const entry = value as unknown as RecordedEntry;
    if (!decisionsOnly || entry.kind !== 'event') yield entry;
  }
  if (number === 0) throw new RecordingFault('it is empty');
}

function parsedLine(line: string, number: number): JsonObject {
  let value: Json = null;
  try {
    value = JSON.parse(line) as Json;
  } catch {
    // Reported below, like JSON that is not an object.
  }
  if (isObject(value)) return value;
  throw new RecordingFault(`line ${number} is no JSON object`);
}

function requireFormat({ kind, format }: Readonly<Record<string, unknown>>): void {
  if (kind !== 'recording') throw new RecordingFault('its first line names no recording');
  if (format === recordingFormat) return;
  throw new RecordingFault(
    `it has the format ${String(format)}, and this version reads ${recordingFormat}`,
  );
}
