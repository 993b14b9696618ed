/** The readers of a function that runs apart, and the client that it writes with. */
import type { MonotonicClock } from '#shared/domain/clock.ts';
import { apiReader } from '#shared/kube/api-reader.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { writeThrough } from '#shared/kube/write-through.ts';
import { rateLimitedWarnings, type RedisLog } from '#shared/redis/log.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import {
  StoredViewReader,
  type StoredViewReaderOptions,
} from '#shared/views/stored-view-reader.ts';

export interface FunctionReadsOptions {
  readonly subscription: Pick<Subscription, 'decides' | 'watches'>;
  readonly client: KubeClient;
  readonly clock: MonotonicClock;
  readonly logger: RedisLog;
  /** The views that the bridge keeps. Undefined: everything is read from the API server. */
  readonly views: Pick<StoredViewReaderOptions, 'store' | 'seal'> | undefined;
}

export interface FunctionReads {
  readonly reader: Reader;
  /** Absent: `reader` is never behind. */
  readonly freshReader?: Reader;
  readonly client: KubeClient;
}

const warningIntervalMs = 10_000;

export function readsOver(options: FunctionReadsOptions): FunctionReads {
  const { subscription, client, clock, logger, views } = options;
  const server = apiReader(client);
  if (views === undefined) return { reader: server, client };
  const warn = rateLimitedWarnings(logger, warningIntervalMs, () => clock.monotonicMs());
  const reader = new StoredViewReader({
    ...views,
    server,
    decides: subscription.decides,
    children: subscription.watches.filter(({ only }) => only === 'children'),
    listed: subscription.watches.filter(({ isListed }) => isListed).map(({ resource }) => resource),
    clock,
    onFailure: (error) => warn({ err: error }, 'no views: reading from the API server'),
  });
  return {
    reader,
    freshReader: reader.mostRecent,
    client: writeThrough(client, reader.written, clock),
  };
}
