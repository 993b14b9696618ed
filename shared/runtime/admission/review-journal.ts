/** Reviews in a journal that is opened for the first record, when its answer is already sent. */
import type { ReviewRecord, ReviewRecorder } from '#shared/admission/review-record.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import type { JournalBounds } from '#shared/journal/bounds.ts';
import { journalFormat, type Journal, type ReviewedRecord } from '#shared/journal/journal.ts';
import { recordingGrants } from '#shared/journal/redis-grants.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { clusterUid } from '#shared/kube/cluster-identity.ts';
import { redisPrefix } from '#shared/redis/key-prefix.ts';
import type { RedisAddress } from '#shared/redis/connection.ts';
import type { RedisGrant } from '#shared/redis/grant.ts';
import type { RedisLog } from '#shared/redis/log.ts';

/** Bounds of the review journal: a tenth of those for events and decisions. */
export const reviewBounds: Partial<JournalBounds> = {
  maxEntries: 20_000,
  maxBytes: 32 * 1024 * 1024,
};

/** Separate keys below the cluster's prefix, so that reviews push out no decisions. */
const reviews = 'reviews';

/** An admission records its reviews. */
export const reviewGrants: readonly RedisGrant[] = recordingGrants(`${reviews}:`);

/** A larger record keeps user, request and answer, and leaves out the objects. */
const largestBytes = 64 * 1024;

export interface ReviewJournal extends ReviewRecorder {
  close(): Promise<void>;
}

/** If `open` fails, that record is lost, and the next record tries again. */
export function reviewJournal(
  open: () => Promise<Pick<Journal, 'append' | 'close'>>,
): ReviewJournal {
  let opened: ReturnType<typeof open> | undefined;
  const journal = async () => {
    opened ??= open();
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
  return {
    record: async (record) => {
      await (await journal()).append([storedReview(record)]);
    },
    close: async () => {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

export interface RedisReviewsOptions extends RedisAddress {
  /** Identifies the cluster, which has keys of its own. */
  readonly client: Pick<KubeClient, 'get'>;
  readonly log: RedisLog;
}

/** The Redis code is loaded with the first record, so that a starting process answers sooner. */
export function redisReviewJournal(options: RedisReviewsOptions): ReviewJournal {
  const { client, ...address } = options;
  return reviewJournal(async () => {
    const { createRedisJournal } = await import('#shared/journal/redis-journal.ts');
    const prefix = `${redisPrefix(await clusterUid(client))}:${reviews}`;
    return createRedisJournal({ ...address, prefix, bounds: reviewBounds });
  });
}

function storedReview(record: ReviewRecord): ReviewedRecord {
  // Plain data by law 4, but TypeScript interfaces have no index signatures.
  const decision = record.decision as unknown as Json;
  const whole: ReviewedRecord = { ...record, format: journalFormat, decision };
  const bytes = Buffer.byteLength(JSON.stringify(whole));
  return bytes <= largestBytes ? whole : withoutObjects(whole, bytes);
}

function withoutObjects({ facts: _, ...record }: ReviewedRecord, bytes: number): ReviewedRecord {
  const review = without(record.review, ['object', 'oldObject']);
  const decision = without(record.decision as JsonObject, ['patch']);
  return { ...record, review, decision, leftOutBytes: bytes };
}

function without<Source extends object, Name extends keyof Source & string>(
  source: Source,
  names: readonly Name[],
): Omit<Source, Name> {
  const left = Object.entries(source).filter(([name]) => !names.some((each) => each === name));
  return Object.fromEntries(left) as Omit<Source, Name>;
}
