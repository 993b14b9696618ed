/**
 * A sink of Knative in the place of the queue: each work item is POSTed as the CloudEvent that a
 * dispatcher would deliver, in binary mode.
 *
 * K1 An item is taken when the sink has answered 2xx. Anything else, a redirection and no answer in time
 *    included, fails all that came with it, so that it comes again.
 * K2 Items of one object follow one another; those of different ones do not wait for each other.
 * K3 An item that comes again after a failure has the same id, so that the broker may know it.
 */
import { rootCertificates } from 'node:tls';
import { Agent } from 'undici';
import { MillraceError } from '#shared/domain/errors.ts';
import type { Resource } from '#shared/domain/objects.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { toBinaryMessage } from '#shared/events/binary-message.ts';
import { dueEvent } from '#shared/events/due-event.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import { faultText } from '#shared/kube/broken-connection.ts';
import { AnswerTimeout, wholeAnswer } from '#shared/kube/whole-answer.ts';
import type { Logger } from '#shared/runtime/process/telemetry.ts';
import type { Outlet } from './outlet.ts';
import type { SinkAddress } from './sink-settings.ts';

export interface SinkOptions extends SinkAddress {
  /** What each function decides about, by name; the subject of its events. */
  readonly decided: ReadonlyMap<string, Resource>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Default: {@link sinkTimeoutMs}. */
  readonly timeoutMs?: number;
}

export interface Sink extends Outlet {
  close(): Promise<void>;
}

/** Longest time for one event, in milliseconds; below the drain time, so that no end waits for a sink. */
export const sinkTimeoutMs = 10_000;

/** Events under way, whoever sends them. */
export const concurrentEvents = 16;

export function createSink(options: SinkOptions): Sink {
  const { url, authorities, logger } = options;
  const agent = new Agent({
    connections: concurrentEvents,
    connect: authorities === undefined ? {} : { ca: [...rootCertificates, authorities] },
  });
  let isFailing = false;
  const heard = (error?: unknown): void => {
    const fails = error !== undefined;
    if (fails && !isFailing) logger.warn({ err: error }, 'the sink takes no events');
    if (!fails && isFailing) logger.info({ sink: addressOf(url) }, 'the sink takes events again');
    isFailing = fails;
  };
  return {
    add: async (items, occasion) => {
      const lines = [...Map.groupBy(items, ({ key }) => key.uid).values()];
      const { errors } = await eachBounded(lines, concurrentEvents, async (line) => {
        for (const item of line) await send(item, occasion, agent, options);
      });
      heard(errors[0]);
      if (errors.length > 0) throw errors[0];
    },
    close: () => agent.close(),
  };
}

async function send(
  item: WorkItem,
  occasion: string | undefined,
  agent: Agent,
  { url, extensions, decided, timeoutMs = sinkTimeoutMs }: SinkOptions,
): Promise<void> {
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
    if (statusCode >= 200 && statusCode < 300) return;
    throw notTaken(url, `it answered ${statusCode}`);
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    const isLate = error instanceof AnswerTimeout;
    throw notTaken(url, isLate ? `no answer within ${timeoutMs} ms` : faultText(error), error);
  }
}

function notTaken(url: URL, detail: string, cause?: unknown): MillraceError {
  return new MillraceError('MR_SINK_UNAVAILABLE', { address: addressOf(url), detail }, { cause });
}

/** Without what is for the sink alone. */
function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}
