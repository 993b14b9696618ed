/**
 * Large specs leave the journal's records: `{"$content": "<sha256>"}` stands in their place and the
 * spec is stored once under its hash. A flow's spec is the same in hundreds of decisions.
 */
import { createHash } from 'node:crypto';
import { stableJson } from '#shared/domain/hash.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { Journal } from '#shared/journal/journal.ts';
import { Recent } from './recent.ts';

/** A spec whose JSON is longer than this many characters is stored apart. */
export const contentThreshold = 512;

/** Hashes known to be stored; each costs about 100 bytes. */
const rememberedHashes = 4096;

/**
 * How long a stored content is taken for stored, in milliseconds. The journal drops what was not
 * used for longest, and loses all in a FLUSHALL: putting it again now and then mends both.
 */
export const rememberedMs = 5 * 60_000;

export interface ContentStore {
  /** The value with every large `spec` replaced; returns when they are stored. Monotonic milliseconds. */
  extract(value: Json, monotonicMs: number): Promise<Json>;
}

/** One per process and journal. Throws MR_QUEUE_UNAVAILABLE when the journal does not answer. */
export function createContentStore(journal: Pick<Journal, 'putContent'>): ContentStore {
  const stored = new Recent<number>(rememberedHashes);
  return {
    extract: async (value, monotonicMs) => {
      const found = new Map<string, Json>();
      const extracted = extractSpecs(value, found);
      for (const [hash, content] of found) {
        const storedMs = stored.get(hash);
        if (storedMs !== undefined && monotonicMs - storedMs < rememberedMs) continue;
        await journal.putContent(hash, content);
        stored.set(hash, monotonicMs);
      }
      return extracted;
    },
  };
}

/** The value with every reference replaced by its content again; a lost content stays a reference. */
export async function restoreContents(
  value: Json,
  journal: Pick<Journal, 'getContent'>,
): Promise<Json> {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return Promise.all(value.map((item) => restoreContents(item, journal)));
  const hash = value['$content'];
  if (typeof hash === 'string') return (await journal.getContent(hash)) ?? value;
  const members = Object.entries(value).map(async ([name, member]) => [
    name,
    member === undefined ? undefined : await restoreContents(member, journal),
  ]);
  return Object.fromEntries(await Promise.all(members)) as JsonObject;
}

function extractSpecs(value: Json, found: Map<string, Json>): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map((item) => extractSpecs(item, found));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      member === undefined ? undefined : extractMember(name, member, found),
    ]),
  );
}

function extractMember(name: string, member: Json, found: Map<string, Json>): Json {
  if (name !== 'spec' || typeof member !== 'object' || member === null) {
    return extractSpecs(member, found);
  }
  const text = stableJson(member);
  if (text.length <= contentThreshold) return member;
  const hash = createHash('sha256').update(text).digest('hex');
  found.set(hash, member);
  return { $content: hash };
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
