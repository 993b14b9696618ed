/**
 * A sink of Knative in the place of the queue: each work item is POSTed as the CloudEvent that a
 * dispatcher would deliver, in binary mode.
 *
 * K1 An item is taken when the sink has answered 2xx. A sink that cannot be reached fails all that came with
 *    it, so that it comes again.
 * K2 Items of one object follow one another; those of different ones do not wait for each other.
 * K3 An item that comes again after a failure has the same id, so that the broker may know it.
 * K4 An item that a sink refuses, by another answer or by none in time, holds up no other one: a broker on
 *    channels in memory answers when all its subscribers have, and for each of them that fails.
 */
import { rootCertificates } from 'node:tls';
import { Agent } from 'undici';
import { MillraceError } from '#shared/domain/errors.ts';
import type { Resource } from '#shared/domain/objects.ts';
import { toBinaryMessage } from '#shared/events/binary-message.ts';
import { dueEvent } from '#shared/events/due-event.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import { faultText } from '#shared/kube/broken-connection.ts';
import { AnswerTimeout, wholeAnswer } from '#shared/kube/whole-answer.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import type { Outlet } from './outlet.ts';
import { createRefusals, type Told } from './refusals.ts';
import type { SinkAddress } from './sink-settings.ts';

export interface SinkOptions extends SinkAddress {
  /** What each function decides about, by name; the subject of its events. */
  readonly decided: ReadonlyMap<string, readonly Resource[]>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly clock: Pick<WaitingClock, 'sleep'>;
  /** When what the sink refused is sent again. Default: see refusals.ts. */
  readonly againAfterMs?: readonly number[];
  /** Default: {@link sinkTimeoutMs}. */
  readonly timeoutMs?: number;
}

export interface Sink extends Outlet {
  close(): Promise<void>;
}

/** Longest time for one event, in milliseconds; below the drain time, so that no end waits for a sink. */
export const sinkTimeoutMs = 10_000;

/** Events under way, of all senders together. */
export const concurrentEvents = 16;

/** Below {@link sinkTimeoutMs}: to be unreachable is another failure than to be slow. */
const connectTimeoutMs = 5_000;

export function createSink(options: SinkOptions): Sink {
  const { url, authorities, logger } = options;
  const agent = new Agent({
    connections: concurrentEvents,
    connect: {
      timeout: connectTimeoutMs,
      ...(authorities === undefined ? {} : { ca: [...rootCertificates, authorities] }),
    },
  });
  let isFailing = false;
  const heard = (error?: unknown): void => {
    const fails = error !== undefined;
    if (fails && !isFailing) logger.warn({ err: error }, 'the sink takes no events');
    if (!fails && isFailing) logger.info({ sink: addressOf(url) }, 'the sink takes events again');
    isFailing = fails;
  };
  const refusals = createRefusals({ ...options, send: (told) => send(told, agent, options) });
  return {
    add: async (items, occasion) => {
      const lines = [...Map.groupBy(items, ({ key }) => key.uid).values()];
      const { errors } = await eachBounded(lines, concurrentEvents, async (line) => {
        for (const item of line) await refusals.tell({ item, occasion });
      });
      heard(errors[0]);
      if (errors.length > 0) throw errors[0];
    },
    close: async () => {
      await refusals.close();
      await agent.close();
    },
  };
}

/** Returns why the sink refuses it; undefined when it is taken. Throws where the sink is not reached. */
async function send(
  { item, occasion }: Told,
  agent: Agent,
  { url, extensions, decided, timeoutMs = sinkTimeoutMs }: SinkOptions,
): Promise<MillraceError | undefined> {
  const event = dueEvent(item, 'bridge', decided.get(item.function));
  const { headers, body } = toBinaryMessage({
    ...event,
    id: occasion === undefined ? event.id : `${event.id}.${occasion}`,
    extensions: { ...event.extensions, ...extensions },
  });
  const { origin, pathname, search } = url;
  try {
    const { statusCode } = await wholeAnswer({
      dispatcher: agent,
      request: { origin, path: `${pathname}${search}`, method: 'POST', headers, body },
      timeoutMs,
    });
    if (statusCode >= 200 && statusCode < 300) return undefined;
    return notTaken(url, `it answered ${statusCode}`);
  } catch (error) {
    if (error instanceof AnswerTimeout) {
      return notTaken(url, `no answer within ${timeoutMs} ms`, error);
    }
    throw notTaken(url, faultText(error), error);
  }
}

function notTaken(url: URL, detail: string, cause?: unknown): MillraceError {
  return new MillraceError('MR_SINK_UNAVAILABLE', { address: addressOf(url), detail }, { cause });
}

/** Without what is for the sink alone. */
function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
