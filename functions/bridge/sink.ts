/**
 * A sink of Knative instead of the queue. Each work item is POSTed in binary mode, as the CloudEvent
 * that a dispatcher would deliver.
 *
 * sink-1 An item is accepted when the sink has answered 2xx. If the sink cannot be reached, the whole
 *    call fails, and the caller sends all its items again.
 * sink-2 Items of one object are sent in order. Those of different objects do not wait for each other.
 * sink-3 An item that is sent again after a failure has the same id, so that the broker can recognize it.
 * sink-4 An item that the sink refuses, or does not answer in time, delays no other item. A broker with
 *    in-memory channels answers only after all its subscribers, and with an error if one of them fails.
 */
import type { Resource } from '#shared/domain/objects.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { dueEvent } from '#shared/events/due-event.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import { addressOf, concurrentEvents, createEventPost } from './event-post.ts';
import type { Outlet } from './outlet.ts';
import { createRefusals, type SinkItem } from './refusals.ts';
import type { SinkAddress } from './sink-settings.ts';

export interface SinkOptions extends SinkAddress {
  /** The objects that each function decides about, by function name. They become the subject of its events. */
  readonly decided: ReadonlyMap<string, readonly Resource[]>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly clock: Pick<WaitingClock, 'sleep'>;
  /** Waits before refused items are sent again, milliseconds. Default: that of refusals.ts. */
  readonly againAfterMs?: readonly number[];
  /** Default: that of event-post.ts. */
  readonly timeoutMs?: number;
}

export interface Sink extends Outlet {
  close(): Promise<void>;
}

export function createSink(options: SinkOptions): Sink {
  const { url, decided, logger } = options;
  const post = createEventPost(options);
  let isFailing = false;
  const heard = (error?: unknown): void => {
    const fails = error !== undefined;
    if (fails && !isFailing) logger.warn({ err: error }, 'the sink takes no events');
    if (!fails && isFailing) logger.info({ sink: addressOf(url) }, 'the sink takes events again');
    isFailing = fails;
  };
  const refusals = createRefusals({
    ...options,
    send: async (sent) => (await post.send(eventOf(sent, decided)))?.error,
  });
  return {
    add: async (items, occasion) => {
      const lines = [...Map.groupBy(items, ({ key }) => key.uid).values()];
      const { errors } = await eachBounded(lines, concurrentEvents, async (line) => {
        for (const item of line) await refusals.send({ item, occasion });
      });
      heard(errors[0]);
      if (errors.length > 0) throw errors[0];
    },
    close: async () => {
      await refusals.close();
      await post.close();
    },
  };
}

function eventOf({ item, occasion }: SinkItem, decided: SinkOptions['decided']): CloudEvent {
  const event = dueEvent(item, 'bridge', decided.get(item.function));
  return { ...event, id: occasion === undefined ? event.id : `${event.id}.${occasion}` };
}
