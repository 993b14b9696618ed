/**
 * Sends items that a sink refused again, at growing intervals. A later item of the same object and
 * function replaces a waiting one. After the last interval the sweep takes over.
 */
import type { WaitingClock } from '#shared/domain/clock.ts';
import { type WorkItem, workItemIdentity } from '#shared/domain/work-item.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';

export interface SinkItem {
  readonly item: WorkItem;
  readonly occasion: string | undefined;
}

export interface RefusalsOptions {
  /** Returns why the item was refused; undefined if it was accepted. Throws if the sink cannot be reached. */
  readonly send: (sent: SinkItem) => Promise<Error | undefined>;
  readonly clock: Pick<WaitingClock, 'sleep'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds before each repetition. Default: 1 s, doubled four times, which is longer than a sweep period. */
  readonly againAfterMs?: readonly number[];
}

export interface Refusals {
  /** Resolves when the item is accepted, or refused and scheduled again. Throws as `send` does. */
  send(sent: SinkItem): Promise<void>;
  /** Stops all repetitions. */
  close(): Promise<void>;
}

const growing = [1_000, 2_000, 4_000, 8_000, 16_000];

export function createRefusals(options: RefusalsOptions): Refusals {
  const { send, clock, logger, againAfterMs = growing } = options;
  const refused = new Map<string, SinkItem>();
  const repetitions = new Set<Promise<void>>();
  const closing = new AbortController();
  let givenUp = 0;

  const settled = (identity: string, sent: SinkItem): void => {
    if (refused.get(identity) !== sent) return;
    refused.delete(identity);
    if (refused.size > 0) return;
    if (givenUp === 0) logger.info({}, 'the sink has taken what it refused');
    else
      logger.warn(
        { events: givenUp },
        'the sink did not take events; the next sweep sends them again',
      );
    givenUp = 0;
  };
  const repeat = async (identity: string, sent: SinkItem): Promise<void> => {
    for (const afterMs of againAfterMs) {
      await clock.sleep(afterMs, closing.signal);
      if (closing.signal.aborted || refused.get(identity) !== sent) return;
      // An unreachable sink counts as a refusal here: the item keeps waiting.
      const isTaken = await send(sent).then(
        (refusal) => refusal === undefined,
        () => false,
      );
      if (isTaken) {
        settled(identity, sent);
        return;
      }
    }
    if (refused.get(identity) === sent) givenUp += 1;
    settled(identity, sent);
  };

  return {
    send: async (sent) => {
      const identity = workItemIdentity(sent.item);
      const refusal = await send(sent);
      const before = refused.get(identity);
      if (refusal === undefined) {
        if (before !== undefined) settled(identity, before);
        return;
      }
      if (refused.size === 0) {
        const { function: name, key } = sent.item;
        logger.warn({ err: refusal, function: name, key }, 'the sink refuses an event');
      }
      refused.set(identity, sent);
      const repetition = repeat(identity, sent);
      repetitions.add(repetition);
      void repetition.finally(() => repetitions.delete(repetition));
    },
    close: async () => {
      closing.abort();
      await Promise.all(repetitions);
    },
  };
}
